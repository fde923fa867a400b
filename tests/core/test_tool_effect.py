"""What a tool does, decided from its name or stated by the project."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.tool_effect import tool_effect, with_stated

# Each change stands beside a harmless twin: nearly the same name, and nothing is changed.
TWINS = """
find_and_delete_user        find_user
findAndDeleteUser           findDeletedUsers
get_or_create_ticket        get_created_tickets
getOrCreateTicket           getTicket
check_out                   check_outage
checkout                    check_cart
check_in_guest              check_in_stock
run_transfer                run_speed_test
execute_trade               run_diagnostics
process_refund              check_refund
perform_cancellation        get_cancellation_policy
cancel_order                get_cancel_policy
update_address              check_update_status
delete_file                 list_delete_requests
search_and_book_flight      search_flights
verify_and_charge_card      verify_card
read_then_update            read_updates
readThenUpdate              readFile
lookup-and-remove           lookup-item
get_order_and_cancel        get_order_and_status
find_user_and_charge_card   find_user_and_card_details
get_order_and_refund        get_order_and_refund_details
send_mms                    can_send_mms
delete_account              is_account_deleted
approve_loan                has_approved_loan
sign_up                     view_signups
log_in                      list_logins
log_out                     get_logs
set_up_account              get_setup_instructions
opt_out                     get_options
pay_off_loan                get_payoff_amount
roll_back_release           look_up_release
turn_off_roaming            look_into_roaming
shut_down                   find_out
top_up_balance              get_balance
orders.cancel               orders.list
orders.create               orders.get
email.send                  email.search
mcp__github__create_issue   mcp__github__get_issue
shop:checkout               shop:search_products
crm/contacts/delete         crm/contacts/fetch
cart_add_product            cart_lookup
git_push                    git_get_remote_url
user_delete                 user_search
ticket_login                ticket_get_login_status
schedule.create             flight_schedule.get_timings
book_room                   book_search
order_pizza                 order_lookup
order_request               order_status
refund_amount               refund_policy
booking_cancel_details      booking_details
email_summary               payment_history
post_status                 returnStatus
refund                      get_refund
transfer_money              calculate_transfer_fee
transfer_funds_to_agent     list_transfers
wire_send                   query_wires
resend_email                read_email
recreate_index              describe_index
unassign_agent              list_agents
create_agent                compare_agents
escalate_and_cancel_order   get_escalation_status
update_escalation           check_escalation_queue
cancel-subscription         view-subscription
SubmitOrder                 PreviewOrder
DELETE_USER                 GET_USER
enviar_correo               leer_correo
cancelar_reserva            consultar_reserva
make_payment                estimate_payment
place_order                 track_order
request_refund              explain_refund
"""
HANDS_OFF = """
transfer_to_human_agents transferToHuman transfer_call_to_supervisor transfer_to_agent transfer_chat connect_to_agent
connect_live_agent route_to_human forward_to_manager escalate escalate_to_manager escalate_ticket escalateConversation
create_escalation request_handoff hand_off hand_over handoff human_handoff request_human contact_human_agent ask_human
talk_to_human speak_with_representative live_agent support.escalate check_and_escalate desk:hand_over derivar_a_humano
"""
UNKNOWN = """
run_query execute_sql getter frobnicate get_or_frobnicate order_thing_x cart_total prepare_quote weather
escalate_privileges 取得する gеt_order 123 __
"""
PAIRS = [line.split() for line in TWINS.split("\n") if line]


def test_changes_and_their_harmless_twins() -> None:
    wrong = [(name, tool_effect(name)) for name, _ in PAIRS if tool_effect(name) != "changes"]
    wrong += [(name, tool_effect(name)) for _, name in PAIRS if tool_effect(name) != "reads"]
    assert not wrong


def test_names_that_hand_the_conversation_to_a_person() -> None:
    assert not [(name, tool_effect(name)) for name in HANDS_OFF.split() if tool_effect(name) != "hands_off"]


def test_names_that_speak_of_people_and_hand_nothing_off() -> None:
    names = "get_human_readable_report list_escalations transfer_ownership forward_email_to_manager call_api"
    assert not [name for name in names.split() if tool_effect(name) == "hands_off"]


def test_unknown_where_no_verb_is_known() -> None:
    names = [*UNKNOWN.split(), "", "fetch" * 50, "get_" * 60]
    assert not [(name, tool_effect(name)) for name in names if tool_effect(name) not in ("unknown", "changes")]
    assert tool_effect("frobnicate") == tool_effect("run_query") == tool_effect("") == "unknown"


def test_what_the_project_states_wins_over_the_name() -> None:
    stated: Any = {"run_query": "reads", "get_token": "changes", "desk_*": "hands_off", "desk_*_info": "reads"}
    assert tool_effect("run_query", stated) == "reads"
    assert tool_effect("get_token", stated) == "changes"
    assert tool_effect("desk_send", stated) == "hands_off"
    assert tool_effect("desk_send_info", stated) == "hands_off"  # the first pattern that matches
    assert tool_effect("desk_send_info", {"desk_send_info": "reads", **stated}) == "reads"
    assert tool_effect("delete_user", stated) == "changes"


def test_reading_verbs_of_a_check_replace_the_known_ones() -> None:
    assert tool_effect("fly_by", reading=["fly"]) == "reads"
    assert tool_effect("get_order", reading=["fly"]) == "changes"
    assert tool_effect("transfer_to_human", reading=["fly"]) == "hands_off"


def test_a_check_states_effects_before_the_project_does() -> None:
    merged = with_stated({"a_*": "reads"}, {"a_*": "changes", "*": "hands_off"})
    assert merged == {"a_*": "reads", "*": "hands_off"}
    assert list(merged) == ["a_*", "*"]


@given(st.text(max_size=60))
def test_every_name_has_an_effect(name: str) -> None:
    assert tool_effect(name) in ("reads", "changes", "hands_off", "unknown")


@pytest.mark.parametrize("verb", ["delete", "create", "send", "cancel", "pay"])
@given(noun=st.sampled_from(["user", "order", "card"]), first=st.sampled_from(["get", "find", "check", "search"]))
def test_a_changing_verb_anywhere_wins(verb: str, noun: str, first: str) -> None:
    for name in (f"{first}_and_{verb}_{noun}", f"{first}_{verb}_{noun}", f"{first}{verb.title()}{noun.title()}"):
        assert tool_effect(name) == "changes"
