"""Passwords that are called one in many languages, and words that are only said of a password."""

from __future__ import annotations

from tests.tables import table

from proctor.text.pii import find_pii
from proctor.text.pii.secrets import find_logins


def _secrets(text: str) -> list[str]:
    return [each.text for each in find_pii(text) if each.kind == "secret"]


@table(
    "text",
    [
        "my pw hunter2",
        "pw: hunter2",
        "password is hunter2",
        "my password is sunshine",
        "password: correcthorse",
        "mot de passe : soleil42",
        "mon mot de passe est soleil42",
        "パスワードはsakura2024です",
        "パスワードは「さくら」です",
        "mein Passwort lautet Sommer24!",
        "Kennwort: Sommer24",
        "la contraseña es gato1234",
        "mi clave es gato1234",
        "minha senha é gato1234",
        "wachtwoord is fiets99",
        "mijn wachtwoord: fiets99",
        "la password è gatto77",
        "пароль: kot12345",
        "мой пароль kot12345",
        "密码是abc12345",
        "비밀번호는 abc12345 입니다",
        "पासवर्ड है abc12345",
        "كلمة المرور هي abc12345",
        "şifrem kedi1234",
        "hasło to kot12345",
        "lösenordet är katt123",
        "salasana on kissa123",
        "heslo je kocka123",
        "login: anna pass: hunter2",
        "hi, my pw is Blau4711 and it says no",
        "PW = qwerty99",
        "user anna, pass: kat2020",
        "the password is marmalade.",
        "Password: bluebird",
        "mein Kennwort ist Hund88",
        "Passwort: Apfelbaum",
        "mot de passe: chaton",
        "mon mot de passe c'est «x»? non, mot de passe: lune2025",
        "contraseña: perro77",
        "a palavra-passe é rio2024",
        "wachtwoord: tulp2024",
        "password: girasole",
        "пароль sobaka99",
        "暗証番号は4471",
        "パスワード：neko9999",
        "密码：mima2024",
        "비번 gang1234",
        "पासवर्ड: namaste9",
        "كلمة السر: qamar77",
        "parolam deniz55",
        "hasło: zima2024",
        "lösenord: sommar24",
        "salasanani on talvi24",
        "heslo: zima2024",
        "passord: vinter24",
    ],
)
def test_a_password_is_found(text: str) -> None:
    assert _secrets(text)


@table(
    "text",
    [
        "my password is wrong",
        "the password is not working",
        "password is required",
        "I forgot my password",
        "reset password please",
        "password: required",
        "mot de passe oublié",
        "mon mot de passe est incorrect",
        "パスワードは忘れました",
        "パスワードは何ですか",
        "mein Passwort ist falsch",
        "la contraseña es incorrecta",
        "minha senha é inválida",
        "wachtwoord vergeten",
        "пароль не подходит",
        "密码是什么",
        "密码错误",
        "비밀번호는 무엇인가요",
        "şifrem çalışmıyor",
        "hasło jest nieprawidłowe",
        "lösenordet är fel",
        "salasana on väärä",
        "pw reset please",
        "the password is expired",
        "password is too short",
        "my password is compromised",
        "my password is gone",
        "the password is correct",
        "Password: forgotten",
        "my password is secure",
        "my pw is expired",
        "passwords are stored safely",
        "rent is 200 pw incl. 2 rooms",
        "boarding pass: A12B34",
        "Passwort: vergessen",
        "mein Passwort ist weg",
        "mot de passe: incorrect",
        "la clave es la paciencia",
        "la parola d'ordine",
        "senha: esqueci",
        "wachtwoord: onjuist",
        "パスワードは正しいです",
        "密码：忘记了",
        "비밀번호는 몰라요",
        "пароль: забыл",
        "heslo: nesprávné",
        "my password is the same",
        "password is not accepted",
    ],
)
def test_what_is_said_of_a_password_is_none(text: str) -> None:
    assert not _secrets(text)


@table(
    ("text", "value"),
    [
        ("my pw hunter2, thanks", "hunter2"),
        ("mon mot de passe est soleil42.", "soleil42"),
        ("パスワードはsakura2024です", "sakura2024"),
        ("비밀번호는 abc12345입니다", "abc12345"),
        ("my password is sunshine.", "sunshine"),
    ],
)
def test_no_more_than_the_password_is_taken(text: str, value: str) -> None:
    assert _secrets(text) == [value]


def test_a_word_is_less_sure_than_what_has_digits() -> None:
    (word,) = find_pii("my password is sunshine")
    (mixed,) = find_pii("my password is sunshine7")
    assert (word.confidence or 0) < (mixed.confidence or 0)


@table("unfilled", ["USER:PASSWORD", "<user>:<password>", "{user}:{password}", "anna:***", "anna:…"])
def test_places_for_a_login_are_no_secret(unfilled: str) -> None:
    assert list(find_logins(f"https://{unfilled}@host.example/x")) == []


@table("filled", ["anna:s3cret", "ADMIN:W1NTER", "Anna:PASSWORD", "<user>:s3cret", "anna:s3***"])
def test_a_login_is_a_secret(filled: str) -> None:
    assert [each.kind for each in find_logins(f"https://{filled}@host.example/x")] == ["secret"]
