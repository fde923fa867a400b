"""Find national id numbers: a token is looked up by its shape, then its check digits are validated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.context import NamedValueFinder, made
from proctor.text.pii.national import proofs
from proctor.text.pii.pii_prefilter import Needs, needs

__all__ = ["SCHEMES", "Scheme", "find_by_shape", "find_spaced"]

Proof = Callable[[str], bool]

_TOKEN: Final = Lazy(r"(?<![A-Za-z0-9_./=-])[A-Za-z0-9][A-Za-z0-9./()+-]{7,22}+(?![A-Za-z0-9_/=])")
_SHAPE: Final = str.maketrans(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "9" * 10 + "A" * 26 + "a" * 26
)
_MARKS: Final = re.compile(r"[^A-Za-z0-9]")

# Shapes (9 is a digit, A a capital letter) that suffice together with the check digits.
_BY_SHAPE: Final[Mapping[str, tuple[tuple[str, Proof], ...]]] = {
    "999-99-9999": (("us_ssn", proofs.ssn), ("us_itin", proofs.itin)),
    "AA999999A": (("uk_nino", proofs.nino),),
    "999999999999999": (("fr_nir", proofs.nir),),
    "9999999A9999999": (("fr_nir", proofs.nir),),
    "99999999A": (("es_dni", proofs.dni),),
    "99999999-A": (("es_dni", proofs.dni),),
    "A9999999A": (("es_nie", proofs.nie), ("sg_nric", proofs.nric)),
    "A-9999999-A": (("es_nie", proofs.nie),),
    "AAAAAA99A99A999A": (("it_codice_fiscale", proofs.codice_fiscale),),
    "AAAAA9999A": (("in_pan", proofs.pan),),
    "999999999999999999": (("cn_resident", proofs.china),),
    "99999999999999999A": (("cn_resident", proofs.china),),
    "999999-9999999": (("kr_rrn", proofs.rrn),),
    "999.999.999-99": (("br_cpf", proofs.cpf),),
    "99999999-9999": (("se_personnummer", proofs.personnummer),),
    "999999-9999": (("se_personnummer", proofs.personnummer), ("fi_hetu", proofs.hetu)),
    "999999+9999": (("se_personnummer", proofs.personnummer), ("fi_hetu", proofs.hetu)),
    "999999-999A": (("fi_hetu", proofs.hetu),),
    "999999A999A": (("fi_hetu", proofs.hetu),),
    "999999A9999": (("fi_hetu", proofs.hetu),),
    "99999999999": (("no_fodselsnummer", proofs.fodselsnummer),),
    "99.99.99-999.99": (("be_national", proofs.belgian),),
    "999.9999.9999.99": (("ch_ahv", proofs.ahv),),
    "9999999999999": (("za_id", proofs.south_africa), ("ch_ahv", proofs.ahv)),
    "AAAA999999AAAAAA99": (("mx_curp", proofs.curp),),
    "AAAA999999AAAAAAA9": (("mx_curp", proofs.curp),),
    "A999999999": (("tw_id", proofs.taiwan),),
    "A999999(9)": (("hk_id", proofs.hkid),),
    "A999999(A)": (("hk_id", proofs.hkid),),
    "9-9999-99999-99-9": (("th_id", proofs.thai),),
    "999999-99-9999": (("my_kad", proofs.mykad),),
    "99.999.999-9": (("cl_rut", proofs.rut),),
    "99.999.999-A": (("cl_rut", proofs.rut),),
    "9.999.999-9": (("cl_rut", proofs.rut),),
    "99-99999999-9": (("ar_cuit", proofs.cuit),),
    "999999/9999": (("cz_rodne_cislo", proofs.czech),),
}
# Numbers that are written in groups.
_SPACED: Final = (
    ("uk_nino", Lazy(r"[A-Z](?<![A-Za-z0-9].)[A-Z] \d{2} \d{2} \d{2} [A-D](?![A-Za-z0-9])"), proofs.nino),
    ("fr_nir", Lazy(r"[1278](?<!\d.) \d{2} \d{2} (?:\d{2}|2[AB]) \d{3} \d{3} \d{2}(?!\d)"), proofs.nir),
    ("in_aadhaar", Lazy(r"[2-9](?<!\d.)(?<!\d[ -].)\d{3}([ -])\d{4}\1\d{4}(?![ -]?\d)"), proofs.aadhaar),
)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A number whose shape is too common, so that a label must name it."""

    name: str
    needs: Needs
    named: NamedValueFinder
    proof: Proof | None = None

    def find(self, text: str) -> Iterator[Finding]:
        """Find labelled numbers; wrong check digits lower the confidence, but the number is still masked."""
        for start, end in self.named.spans(text):
            yield made("national_id", text, (start, end), self._sure(text[start:end]), self.name)

    def _sure(self, written: str) -> float:
        if self.proof is None:
            return 0.7
        return 0.95 if self.proof(_MARKS.sub("", written)) else 0.6


def _scheme(name: str, words: str, written: str, pattern: str, value: str, proof: Proof | None = None) -> Scheme:
    return Scheme(name, needs(words, written, row=4), NamedValueFinder(pattern, value), proof)


SCHEMES: Final = (
    _scheme(
        "us_ssn", "ssn social", "", r"\bssn\b|\bsocial security(?: number)?", r"\d{3}[ -]?\d{2}[ -]?\d{4}", proofs.ssn
    ),
    _scheme(
        "us_tax",
        "itin atin ein tin tax taxpayer",
        "",
        r"\b(?:itin|atin|ein|tin|tax(?:payer)? (?:id|identification)(?: number)?)\b",
        r"[A-Z0-9]{0,3}-?\d{2,3}-?\d{2}-?\d{2,5}[A-Z]?",
    ),
    _scheme("uk_nhs", "nhs", "", r"\bnhs\b", r"\d{3}[ -]?\d{3}[ -]?\d{4}", proofs.nhs),
    _scheme(
        "uk_nino",
        "nino insurance ni",
        "",
        r"\bnino\b|\bnational insurance(?: number)?|\bni number",
        r"[A-Z]{2} ?(?:\d{2} ?){3}[A-D]",
        proofs.nino,
    ),
    _scheme(
        "jp_individual_number",
        "number mynumber",
        "マイナンバー 個人番号",
        r"マイナンバー(?:カード)?|個人番号|\bmy ?number(?= card)|\bmynumber\b|\bindividual number\b",
        r"\d{4}[ -]?\d{4}[ -]?\d{4}",
        proofs.individual_number,
    ),
    _scheme(
        "de_steuer_id",
        "steuer steuerid steuernummer steueridentifikationsnummer idnr",
        "",
        r"steuer-?(?:id|identifikationsnummer|nummer)(?:-nr)?|\bidnr",
        r"\d{2} ?\d{3} ?\d{3} ?\d{3}",
        proofs.steuer_id,
    ),
    _scheme(
        "in_aadhaar",
        "aadhaar aadhar adhar adhaar aadhaars",
        "आधार",
        r"\ba+dha+r\b(?: card)?|आधार",
        r"\d{4}[ -]?\d{4}[ -]?\d{4}(?:\d{2})?",
        proofs.aadhaar,
    ),
    _scheme("in_pan", "pan", "", r"\bpan\b(?: card)?", r"[A-Z]{4,6}[A-Z0-9]{0,3}\d{3,5}[A-Z]{0,2}"),
    _scheme("in_voter", "voter epic", "", r"\bvoter(?:'s)? id\b|\bepic\b", r"[A-Z]{3,5}\d{7,10}"),
    _scheme("br_cpf", "cpf", "", r"\bcpf\b", r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}", proofs.cpf),
    _scheme(
        "ca_sin",
        "sin social nas",
        "",
        r"\bsin\b|\bsocial insurance(?: number)?|\bnas\b",
        r"\d{3}[ -]?\d{3}[ -]?\d{3}",
        proofs.sin,
    ),
    _scheme("au_tfn", "tfn tax", "", r"\btfn\b|\btax file(?: number)?", r"\d{3} ?\d{3} ?\d{2,3}", proofs.tfn),
    _scheme("au_medicare", "medicare", "", r"\bmedicare\b", r"\d{4} ?\d{5} ?\d", proofs.medicare_au),
    _scheme(
        "nl_bsn",
        "bsn burgerservicenummer sofinummer sofi",
        "",
        r"\bbsn\b|burgerservicenummer|sofi-?nummer",
        r"\d{4}[ .]?\d{2}[ .]?\d{3}",
        proofs.bsn,
    ),
    _scheme(
        "se_personnummer",
        "personnummer personal",
        "",
        r"\bpersonnummer\b|\bpersonal (?:identity )?number",
        r"(?:\d{2})?\d{6}[-+]?\d{4}",
        proofs.personnummer,
    ),
    _scheme("pl_pesel", "pesel", "", r"\bpesel\b", r"\d{11}", proofs.pesel),
    _scheme("pl_nip", "nip", "", r"\bnip\b", r"\d{3}-?\d{2,3}-?\d{2}-?\d{2,3}", proofs.nip),
    _scheme(
        "pl_identity_card",
        "dowód dowod dowodu osobisty osobistego",
        "",
        r"\bdow[oó]du? osobist\w{1,4}",
        r"[A-Z]{3} ?\d{6}",
    ),
    _scheme("pt_nif", "nif contribuinte", "", r"\bnif\b|\bcontribuinte\b", r"\d{3} ?\d{3} ?\d{3}", proofs.nif),
    _scheme("tr_kimlik", "kimlik", "", r"\bt\.?c\.? ?kimlik\b|\bkimlik\b", r"\d{11}", proofs.tckn),
    _scheme("il_id", "teudat", "זהות", r"teudat zehut|תעודת זהות", r"\d{8,9}", proofs.israel),
    _scheme("dk_cpr", "cpr", "", r"\bcpr\b", r"\d{6}-?\d{4}", proofs.cpr),
    _scheme("ie_ppsn", "pps ppsn", "", r"\bppsn?\b", r"\d{7}[A-W][A-IW]?", proofs.ppsn),
    _scheme(
        "kr_rrn",
        "resident",
        "주민등록",
        r"주민등록(?:번호)?|resident registration(?: number)?",
        r"\d{6}-?\d{7}",
        proofs.rrn,
    ),
    _scheme("cn_resident", "身份证", "身份证 身份證", r"身份[证證](?:号码?|號碼?)?", r"\d{17}[\dX]", proofs.china),
    _scheme(
        "national_id",
        "national identity identification id dni identité identite personalausweis personalausweisnummer",
        "身分証",
        r"\bnational (?:id|identity|identification)(?: (?:card|number))*|\bidentity (?:card|number)|\bid card\b"
        r"|身分証(?:明書)?|\bdni\b"
        r"|carte d'identit[eé]|\bpersonalausweis(?:nummer)?\b",
        r"(?=[A-Z]{0,4}\d)[A-Z0-9](?:-?[A-Z0-9]){5,14}",
    ),
)


def find_by_shape(text: str) -> Iterator[Finding]:
    """Find national numbers by shape and check digits."""
    for hit in _TOKEN.finditer(text):
        written = hit.group()
        if not written.isalpha():  # every shape has a digit
            yield from _by_shape(text, hit.start(), written.rstrip(".-+/("))


def find_spaced(text: str) -> Iterator[Finding]:
    """Like ``find_by_shape`` for numbers written in groups."""
    if " " not in text and "-" not in text:
        return
    for scheme, pattern, proof in _SPACED:
        for hit in pattern.finditer(text):
            if proof(_MARKS.sub("", hit.group())):
                yield made("national_id", text, hit.span(), 0.95, scheme)


def _by_shape(text: str, start: int, written: str) -> Iterator[Finding]:
    known = _BY_SHAPE.get(written.translate(_SHAPE))
    if known is None and written.endswith(")"):
        written = written[:-1].rstrip(".-+/(")
        known = _BY_SHAPE.get(written.translate(_SHAPE))
    for scheme, proof in known or ():
        if proof(_MARKS.sub("", written)):
            yield made("national_id", text, (start, start + len(written)), 0.9, scheme)
            return
