"""Learn the call rate that an endpoint sustains from what it refused.

Most limits count calls per second or minute. With calls of 50 ms no whole number of concurrent calls stays just under
30 a second, so a concurrency limit alone runs from one refusal into the next. Servers count in fixed windows, sliding
windows or token buckets, and do not report which; the estimate that works for all of them is the larger of

- the rate that got through from one pause to the end of the next (near for a window, exact for a bucket), and
- a little less than the rate in the window before the refusal.

A learnt rate is held for a while before a faster one is tried. A server that sends a wait with a 429 counts calls:
the estimate is good and a failed try costs that wait, so it is held long. One that sends none may have meant
"too many at once", and the first estimate can be far too low: a faster rate is tried soon.
"""

from __future__ import annotations

from collections import deque

__all__ = ["LearnedRate"]

_MAX_STARTS = 4096
_MIN_WINDOW_SECONDS = 1.0  # the shortest assumed window of a limit
_FIRST_SHARE = 0.95  # of what got through, if nothing else is known
_LATER_SHARE = 0.9  # of what got through, if even a learnt rate was refused
_HOLD_KNOWN_SECONDS = 15.0  # if the server sent a wait
_HOLD_UNKNOWN_SECONDS = 1.0
_MAX_HOLD_SECONDS = 120.0
_DOUBLING_KNOWN_SECONDS = 3.0  # of trying after which the rate has doubled, slowly at first
_DOUBLING_UNKNOWN_SECONDS = 1.0
_SLACK_SECONDS = 0.005  # timers fire late, and a start may catch up by this much


class LearnedRate:
    """The allowed start rate of calls; unlimited until the first refusal. Pure arithmetic, without timers."""

    __slots__ = (
        "_base",
        "_busy",
        "_doubling",
        "_got_through",
        "_hold",
        "_next",
        "_pause",
        "_refused",
        "_settled",
        "_since",
        "_starts",
        "_told",
    )

    def __init__(self) -> None:
        self._base: float | None = None  # the learnt rate, in calls a second
        self._settled = 0.0  # when it was learnt
        self._hold = 0.0
        self._doubling = _DOUBLING_KNOWN_SECONDS
        self._next = 0.0  # when the next call may start
        self._starts: deque[float] = deque(maxlen=_MAX_STARTS)  # of calls not refused
        self._since: float | None = None  # the first start since the last pause
        self._got_through = 0  # calls started since then and not refused
        self._refused: float | None = None  # the last start that was refused since then
        self._pause = 0.0
        self._told = False
        self._busy = False

    def rate(self, now: float) -> float | None:
        """Return the calls a second; ``None`` before the first refusal."""
        if self._base is None:
            return None
        tried = now - self._settled - self._hold
        return self._base if tried <= 0 else self._base * (1 + (tried / self._doubling) ** 2)

    def wait(self, now: float) -> float:
        """Return the seconds until the next call may start; zero or less if it may start now."""
        return 0.0 if self._base is None else self._next - now

    def started(self, now: float) -> None:
        """Record the start of a call."""
        self._starts.append(now)
        self._got_through += 1
        if self._since is None:
            self._since = now
        if (rate := self.rate(now)) is not None:
            self._next = max(self._next, now - _SLACK_SECONDS) + 1 / rate

    def refused(self, started: float, pause: float, *, told: bool, busy: bool) -> None:
        """Record the refusal of a call, with a pause that the server sent (``told``) or did not.

        ``busy`` means that calls came as fast as allowed. Otherwise other clients used up the quota, and our low rate
        is no evidence of the limit.
        """
        if self._since is not None and started >= self._since:
            self._got_through -= 1
        if started in self._starts:
            self._starts.remove(started)
        if self._refused is None:
            self._refused, self._pause, self._told, self._busy = started, pause, told, busy
        else:
            self._refused, self._busy = max(self._refused, started), self._busy or busy

    def resume(self, now: float) -> bool:
        """End the pause and learn from what got through. Return whether the rate caused the refusal."""
        if self._refused is None or self._since is None:
            return False
        too_fast = self._busy and self._learn(self._refused, now)
        self._next = now
        self._since = self._refused = None
        self._got_through = 0
        return too_fast

    def _learn(self, refused: float, now: float) -> bool:
        before, learnt = self.rate(refused), self._base
        trying = before is not None and learnt is not None and before > learnt
        if self._got_through > 0:
            self._base = max(self._sustained(now), self._before_refusal(before), learnt if trying and learnt else 0.0)
            if self._told:
                # The server says that a call may come after this pause, so calls need not be further apart. Without
                # this bound the waits would grow, since each estimate includes the pauses of the one before.
                self._base = max(self._base, 1 / max(self._pause, _MIN_WINDOW_SECONDS))
            self._hold_on(first=before is None)
        elif learnt is None:  # nothing ever got through: start slowly, and soon try faster
            self._base = 1 / max(self._pause, _MIN_WINDOW_SECONDS)
            self._told = False
            self._hold_on(first=True)
        self._settled = now
        return learnt is None or trying

    def _sustained(self, now: float) -> float:
        assert self._since is not None
        return self._got_through / max(now - self._since, 1e-3)

    def _before_refusal(self, rate: float | None) -> float:
        assert self._refused is not None
        window = max(self._pause, _MIN_WINDOW_SECONDS)
        recent = sum(1 for start in self._starts if self._refused - window < start <= self._refused) / window
        return _FIRST_SHARE * recent if rate is None else _LATER_SHARE * min(rate, recent)

    def _hold_on(self, *, first: bool) -> None:
        shortest = _HOLD_KNOWN_SECONDS if self._told else _HOLD_UNKNOWN_SECONDS
        hold = shortest if first else min(2 * self._hold, _MAX_HOLD_SECONDS)
        self._hold = max(hold, 2 * self._pause)
        self._doubling = max(_DOUBLING_KNOWN_SECONDS if self._told else _DOUBLING_UNKNOWN_SECONDS, self._pause)
