"""Words of tool names: verbs that read, change or hand off, and the nouns that distinguish them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

__all__ = [
    "ASKS",
    "BETWEEN",
    "CARRIED_READS",
    "CARRIERS",
    "CHANGES",
    "CONJUNCTIONS",
    "CONVERSATION",
    "FACTS",
    "FINDS",
    "HAND_OFF",
    "HUMAN_HELP",
    "NOT_TO_PEOPLE",
    "NOUN_VERBS",
    "OPENS",
    "PEOPLE",
    "PHRASAL",
    "PROPERTIES",
    "READS",
    "TALKS",
    "TRANSACTIONS",
    "TRANSFERS",
    "VERBS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((verb, particle) for verb, _, particle in (each.partition("_") for each in text.split()))


READS: Final = _words(
    """
    get list search find lookup look read fetch check view show describe count retrieve verify browse compare estimate
    inspect summarize summarise explain calculate compute think query validate preview display see analyze analyse
    evaluate detect identify classify determine recommend suggest predict forecast parse translate extract filter sort
    scan quote ping diagnose audit peek grep cat ls geocode locate measure simulate test review monitor track research
    consultar buscar obtener listar ver verificar calcular revisar leer mostrar validar
    """
)
# A name that begins with one of these asks a question: can_cancel_order.
ASKS: Final = _words("can is has are does was should")
# These mean a change at any position: get_or_create, find_and_delete. Few of them are also nouns.
CHANGES: Final = _words(
    """
    create add insert update upsert modify edit alter delete remove erase purge wipe destroy cancel rename revoke grant
    approve reject deny submit send upload install uninstall subscribe unsubscribe enable disable activate deactivate
    assign unassign merge overwrite replace reset restart reboot reseat terminate kill publish unpublish buy purchase
    redeem reschedule enroll enrol register unregister deregister ban unban suspend unlock archive append prepend write
    save put patch move pay notify invite withdraw confirm apply revert rollback deploy provision configure toggle
    change adjust clear flush truncate migrate extend renew reopen disconnect reserve
    checkout checkin signup login logout signin signout setup optin optout shutdown teardown topup
    modificar cancelar crear borrar eliminar actualizar enviar pagar agregar comprar reservar
    """
)
# These mean a change where a verb is expected. Elsewhere they are nouns: get_order, check_refund.
NOUN_VERBS: Final = _words(
    """
    order book booking message email mail refund return exchange charge transfer report schedule rate post file record
    log issue fork commit block lock credit release trade bid comment tag label vote call reply answer fund deposit tip
    claim dispute appeal bill invoice ship deliver dispatch swap pin star like offer rent hire lease reward payment
    cancellation deletion creation reimburse compensate reimbursement compensation subscription withdrawal download
    export import upgrade downgrade
    """
)
VERBS: Final = _words(
    """
    set make drop open close start stop push pop pull mark share sign hold sell switch turn use join leave follow
    unfollow accept decline forward route redirect contact donate settle void pause resume play copy clone sync trigger
    empty restore store refuel top rebook give take fill press click type input mute unmute connect link unlink attach
    detach bind raise lower increase decrease finish finalize finalise abort begin end fix repair rotate plot draw print
    adopt mount unmount touch mkdir rm mv cp echo scale override
    """
)
# The words that follow decide their effect: run_transfer, run_speed_test, process_refund.
CARRIERS: Final = _words(
    "run do execute exec perform process invoke initiate handle launch conduct place request complete"
)
CARRIED_READS: Final = _words(
    "test tests check checks search lookup diagnostics diagnostic scan report analysis comparison simulation"
    " calculation estimate estimation forecast inspection audit"
)
CONJUNCTIONS: Final = _words("and or then plus")
PHRASAL: Final[Mapping[tuple[str, str], Literal["reads", "changes", "hands_off"]]] = {
    **dict.fromkeys(
        _pairs(
            """
            check_out check_in sign_up sign_in sign_out sign_off log_in log_out log_off set_up opt_in opt_out opt_into
            pay_off pay_out roll_back shut_down back_up clean_up call_off top_up take_over mark_as fill_out fill_in
            tear_down turn_on turn_off cash_out
            """
        ),
        "changes",
    ),
    **dict.fromkeys(
        _pairs("look_up look_for look_at look_into find_out read_out check_on list_out track_down dry_run"), "reads"
    ),
    **dict.fromkeys(_pairs("hand_over hand_off"), "hands_off"),
}
# A reading name that ends in one of these only reports on a change: get_cancel_policy, check_update_status.
FACTS: Final = _words(
    """
    status state policy policies history details detail info information fee fees rule rules option options log logs
    count date dates time reason reasons eligibility rate rates price prices summary instructions settings type types
    limit limits url link links window deadline cost costs code codes ons requests request permissions amount amounts
    total totals statistics stats schema
    """
)
FINDS: Final = _words("get fetch find retrieve describe")
# order_status is a property of a transaction; a verb that may take the same object (email_summary) is none of these.
TRANSACTIONS: Final = _words(
    "order booking refund return exchange payment cancellation reimbursement compensation subscription withdrawal claim"
    " dispute appeal invoice"
)
PROPERTIES: Final = _words(
    "status state policy policies history details detail info information rules eligibility summary statistics stats"
)
HAND_OFF: Final = _words("escalate escalation handoff handover derivar escalar")
OPENS: Final = _words("create raise open submit start request trigger file make initiate")
TRANSFERS: Final = _words("transfer connect route forward redirect refer pass bridge transferir switch")
TALKS: Final = _words("request contact ask call talk speak summon page involve get need alert notify")
PEOPLE: Final = _words(
    "human humans person people agent agents operator representative rep supervisor manager specialist advisor adviser"
    " staff support helpdesk colleague humano agente asesor persona"
)
HUMAN_HELP: Final = _words("agent agents help support assistance operator representative handoff takeover escalation")
CONVERSATION: Final = _words("call chat conversation caller session department team queue")
BETWEEN: Final = CONVERSATION | _words(
    "to the a an live real human customer user case ticket request over through with me back tier level una al un"
)
NOT_TO_PEOPLE: Final = _words("privilege privileges permission permissions role roles access rights")
