from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.verdict import Finding, Verdict
from proctor.server.sidecar.utf16_offsets import in_utf16


@given(text=st.text(alphabet=st.characters(codec=None)), data=st.data())
def test_places_fit_the_units_of_any_text(text: str, data: st.DataObject) -> None:
    places = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(places, places).map(sorted), max_size=5))
    found = tuple(Finding(kind="x", start=start, end=end) for start, end in pairs)
    units = text.encode("utf-16-le", "surrogatepass")
    told = in_utf16(Verdict(action="allow", findings=found), text)
    for (start, end), each in zip(pairs, told.findings, strict=True):
        assert each.start is not None
        assert each.end is not None
        assert units[2 * each.start : 2 * each.end] == text[start:end].encode("utf-16-le", "surrogatepass")


def test_findings_without_a_place_stay_without_and_what_a_watcher_saw_moves_too() -> None:
    placed, loose = Finding(kind="x", start=1, end=2), Finding(kind="y")
    shadow = Verdict(action="block", findings=(placed, loose))
    told = in_utf16(Verdict(action="allow", shadow=shadow, by="pii"), "😀a")
    seen = told.decided.findings
    assert [(each.start, each.end) for each in seen] == [(2, 3), (None, None)]
    assert told.by == "pii"
