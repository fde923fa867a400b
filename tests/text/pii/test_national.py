from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.pii import find_pii
from proctor.text.pii.checks import iso7064_mod11_10, verhoeff
from proctor.text.pii.national import proofs

# Numbers that the offices give as examples, or that were reckoned by their published rules.
_BY_SHAPE = [
    ("123-45-6789", "us_ssn"),
    ("912-70-1234", "us_itin"),
    ("AB123456C", "uk_nino"),
    ("AB 12 34 56 C", "uk_nino"),
    ("1 85 05 78 006 084 91", "fr_nir"),
    ("185057800608491", "fr_nir"),
    ("12345678Z", "es_dni"),
    ("X1234567L", "es_nie"),
    ("RSSMRA85T10A562S", "it_codice_fiscale"),
    ("2341 2341 2346", "in_aadhaar"),
    ("ABCPE1234F", "in_pan"),
    ("11010519491231002X", "cn_resident"),
    ("900101-1234567", "kr_rrn"),
    ("529.982.247-25", "br_cpf"),
    ("811218-9876", "se_personnummer"),
    ("131052-308T", "fi_hetu"),
    ("S1234567D", "sg_nric"),
    ("85.07.30-033.28", "be_national"),
    ("756.9217.0769.85", "ch_ahv"),
    ("A123456789", "tw_id"),
    ("A123456(3)", "hk_id"),
    ("8001015009087", "za_id"),
    ("12.345.678-5", "cl_rut"),
    ("20-12345678-6", "ar_cuit"),
    ("HEGG560427MVZRRL04", "mx_curp"),
    ("1-1014-00000-00-6", "th_id"),
]
_BY_NAME = [
    ("NHS number 943 476 5919", "uk_nhs"),
    ("Steuer-ID 86095742719", "de_steuer_id"),
    ("SIN 046 454 286", "ca_sin"),
    ("TFN 123 456 782", "au_tfn"),
    ("Medicare 2123 45670 1", "au_medicare"),
    ("BSN 111222333", "nl_bsn"),
    ("PESEL 44051401359", "pl_pesel"),
    ("PESEL: 44051401359", "pl_pesel"),
    ("CPF 52998224725", "br_cpf"),
    ("NIF 123456789", "pt_nif"),
    ("kimlik 10000000146", "tr_kimlik"),
    ("PPS 1234567T", "ie_ppsn"),
    ("CPR 010190-1235", "dk_cpr"),
    ("my SSN is 123456789", "us_ssn"),
]


@table(("number", "scheme"), _BY_SHAPE)
def test_by_shape_and_check(number: str, scheme: str) -> None:
    (found,) = find_pii(f"it is {number}, thanks", kinds=["national_id"])
    assert (found.text, found.extra["scheme"]) == (number, scheme)


@table(("number", "scheme"), [each for each in _BY_SHAPE if each[1] not in ("us_ssn", "us_itin", "kr_rrn")])
def test_another_digit_is_none(number: str, scheme: str) -> None:
    """One digit changed: the check fails, or the shape does."""
    place = next(i for i in range(len(number) - 3, 0, -1) if number[i].isdigit())
    changed = number[:place] + str((int(number[place]) + 1) % 10) + number[place + 1 :]
    if scheme in ("uk_nino", "in_pan", "mx_curp"):  # a rule of letters alone: no digit of theirs is a check
        return
    assert [each for each in find_pii(f"it is {changed}, thanks", kinds=["national_id"]) if each.text == changed] == []


@table(("text", "scheme"), _BY_NAME)
def test_by_the_word_beside_it(text: str, scheme: str) -> None:
    (found,) = find_pii(text, kinds=["national_id"])
    assert found.extra["scheme"] == scheme
    assert (found.confidence or 0.0) >= 0.9


@table("text", ["943 476 5919", "86095742719", "046454286", "111222333", "booking 44051401358", "ref 12345678A"])
def test_a_common_shape_alone_is_none(text: str) -> None:
    assert find_pii(text, kinds=["national_id"]) == ()


@given(st.text(alphabet="0123456789", min_size=11, max_size=11))
def test_one_digit_of_ten_fits(digits: str) -> None:
    assert sum(verhoeff(digits + last) for last in "0123456789") == 1
    assert sum(iso7064_mod11_10(digits[:10] + last) for last in "0123456789") == 1
    assert sum(proofs.individual_number(digits + last) for last in "0123456789") == 1
