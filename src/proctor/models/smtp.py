"""Mail: one message to an SMTP server, from a thread so that nothing waits for it."""

from __future__ import annotations

import asyncio
from email.message import EmailMessage
from typing import Literal

from proctor.core.errors import ModelError, RefusedError, RejectedError, UnreachableError
from proctor.core.record import dataclass

__all__ = ["MailServer", "send_mail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Where mail is handed in."""

    host: str
    port: int = 25
    security: Literal["none", "starttls", "tls"] = "none"
    user: str | None = None
    password: str | None = None
    timeout: float = 20.0

    def __repr__(self) -> str:
        return f"MailServer({self.host}:{self.port})"


async def send_mail(server: MailServer, message: EmailMessage) -> None:
    """Hand one message in.

    Raises:
        UnreachableError: there is no such server, or it does not answer; later may help.
        ModelError: the server refused the message, the user or the addresses.
    """
    await asyncio.to_thread(_send, server, message)


def _send(server: MailServer, message: EmailMessage) -> None:
    import smtplib  # noqa: PLC0415 - only where mail is sent
    import ssl  # noqa: PLC0415

    where = f"the mail server {server.host}:{server.port}"
    try:
        context = ssl.create_default_context() if server.security != "none" else None
        if server.security == "tls":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=server.timeout, context=context
            )
        else:
            connection = smtplib.SMTP(server.host, server.port, timeout=server.timeout)
        with connection:
            if server.security == "starttls":
                connection.starttls(context=context)
            if server.user is not None:
                connection.login(server.user, server.password or "")
            connection.send_message(message)
    except smtplib.SMTPAuthenticationError as error:
        raise RefusedError(f"{where} refused the user", hint="check `user` and `password`") from error
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        kind: type[ModelError] = (
            UnreachableError if codes and all(400 <= code < 500 for code in codes) else RejectedError
        )
        raise kind(f"{where} refused the addresses", hint="check `to`") from error
    except smtplib.SMTPResponseException as error:
        kind = UnreachableError if 400 <= error.smtp_code < 500 else RejectedError
        raise kind(f"{where} answered with code {error.smtp_code}") from error
    except (smtplib.SMTPException, OSError) as error:
        raise UnreachableError(f"{where} cannot be reached: {type(error).__name__}") from error
