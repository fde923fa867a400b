"""Templates that would use up time or memory without bound, each by another way."""

from __future__ import annotations

__all__ = ["HOSTILE"]

_DOUBLED_LISTS = "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}" + (
    "{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
)
_DOUBLED_TUPLES = "{% set ns = namespace(a=(1,)) %}{% for i in range(60) %}{% set ns.a = (ns.a, ns.a) %}{% endfor %}"
_HUGE = "{% set big = 'a b-' * 1000000 %}"

HOSTILE = {
    "refill by a negative count": "{% for i in xs|counted(-400000000) %}x{% endfor %}",
    "refill by hidden names": "{% for i in xs|\0counted(-400000000) %}x{% endfor %}",
    "sum of lists": "{{ ([['a'] * 100] * 400)|sum(start=[])|length }}",
    "sum of attributes": "{{ ([{'x': ['a'] * 1000}] * 400)|sum(attribute='x', start=[])|length }}",
    "sum of texts by map": "{{ (['a' * 1000] * 4000)|map('list')|sum(start=[])|length }}",
    "wordwrap by a long break": "{{ ('a b ' * 4000)|wordwrap(1, wrapstring='x' * 1000000)|length }}",
    "wordwrap of one long word": "{{ ('a' * 4000000)|wordwrap(1)|length }}",
    "indent of many lines": "{{ ('\\n' * 1000000)|indent(9999, true, true)|length }}",
    "indent by a text": "{{ ('\\n' * 1000)|indent('x' * 1000000, true, true)|length }}",
    "indent by a named width": "{{ ('\\n' * 1000000)|indent(width=9999, blank=true)|length }}",
    "tojson indented": "{{ ([[[[[1] * 10] * 10] * 10] * 10] * 10)|tojson(indent=9999)|length }}",
    "tojson indented by a text": "{{ ([1] * 1000)|tojson(indent='x' * 1000000)|length }}",
    "tojson of lists that hold each other": _DOUBLED_LISTS + "{{ ns.a|tojson|length }}",
    "print a namespace": "{% set ns = namespace(x='a' * 4000000) %}{{ ([ns] * 1000)|string|length }}",
    "print long numbers": "{{ ([2 ** 4000] * 400000)|string|length }}",
    "join long numbers": "{{ ([2 ** 4000] * 400000)|join|length }}",
    "join what is not made yet": "{{ range(90000)|map('string')|join('x' * 4000000)|length }}",
    "join by a named separator": "{{ range(90000)|join(d='x' * 4000000)|length }}",
    "map to padded texts": "{{ range(90000)|map('center', 9999)|list|length }}",
    "replace by name": "{{ ('a' * 1000000)|replace(old='', new='b' * 1000)|length }}",
    "replace through map": "{{ (['a' * 100000] * 10)|map('replace', '', 'b' * 10000)|list|length }}",
    "percent prints one value often": "{{ (('%s' * 1000) % ((('x' * 1000000),) * 1000))|length }}",
    "percent with one mapping": "{{ (('%(a)s' * 1000) % {'a': 'x' * 1000000})|length }}",
    "format filter prints one value often": "{{ ('%(a)s' * 1000)|format(a='x' * 1000000)|length }}",
    "braces print one value often": "{{ ('{0}' * 1000).format('x' * 1000000)|length }}",
    "braces from a mapping": "{{ ('{a}' * 1000).format_map({'a': 'x' * 1000000})|length }}",
    "braces with a wide field": "{{ ('{0:>9999}' * 100000).format(1)|length }}",
    "bytes repeated": "{{ ('a'.encode() * 10 ** 10)|length }}",
    "bytes of a number": "{{ (1).to_bytes(10 ** 10)|length }}",
    "bytes replaced": "{{ ('a' * 1000000).encode().replace(''.encode(), ('b' * 1000).encode())|length }}",
    "compare lists that hold each other": _DOUBLED_LISTS + "{{ ns.a == ns.b }}",
    "look for a list in lists": _DOUBLED_LISTS + "{{ ns.a in [ns.b] }}",
    "test lists that hold each other": _DOUBLED_LISTS + "{{ ns.a is eq(ns.b) }}",
    "select by comparison": _DOUBLED_LISTS + "{{ [ns.a]|select('eq', ns.b)|list|length }}",
    "hash tuples that hold each other": _DOUBLED_TUPLES + "{{ {ns.a: 1}|length }}",
    "look a tuple up": _DOUBLED_TUPLES + "{{ {}[ns.a] }}",
    "get by a tuple": _DOUBLED_TUPLES + "{{ {}.get(ns.a) }}",
    "search a long text often": _HUGE + "{{ (['zz'] * 90000)|select('in', big)|list|length }}",
    "search a long text in a loop": _HUGE + "{% for i in range(90000) %}{{ 'zz' in big }}{% endfor %}",
    "keep many long texts": "".join(f"{{% set a{n} = 'x' * 3999999 %}}" for n in range(200)),
    "keep many long lists": "".join(f"{{% set a{n} = [0] * 190000 %}}" for n in range(200)),
    "split a long text often": _HUGE + "{% for i in range(90000) %}{% set x = big.split('-') %}{% endfor %}",
    "recursive loop over many": "{% for i in [1] recursive %}" + "x" * 1000 + "{{ loop(range(90000)) }}{% endfor %}",
    "recursive loop of loops": "{% for i in range(9999) recursive %}{{ loop(range(9999)) }}{% endfor %}",
    "list of a range in a loop": "{% for i in range(90000) %}{% set x = range(99999)|list %}{% endfor %}",
    "sum of a range in a loop": "{% for i in range(90000) %}{% set x = range(99999)|sum %}{% endfor %}",
    "divide long numbers": "{{ (('1' * 4000000)|int(base=2) // ('1' * 2000000)|int(base=2)) % 7 }}",
    "divide long numbers in hexadecimal": "{{ 0x" + "f" * 900000 + " // 0x" + "f" * 450000 + " }}",
    "escape": "{% autoescape true %}{{ xs }}{% endautoescape %}",
    "strip tags": "{{ ('<!---->' * 500000)|striptags|length }}",
    "pretty print": "{{ ([[[[1] * 9] * 9] * 9] * 99)|pprint|length }}",
    "encode for an address": "{{ ('é' * 3999999)|urlencode|length }}",
    "batch with a long filling": "{{ [1]|batch(9999, 'x' * 1000000)|list|length }}",
    "slice with a wide count": "{{ [1]|slice(10 ** 9)|list|length }}",
    "block called in a loop": "{% block b %}" + "x" * 1000 + "{% endblock %}{% for i in range(90000) %}"
    "{% set y = self.b() %}{% endfor %}",
    "filter block": "{% filter indent(9999, true, true) %}" + "\n" * 100000 + "{% endfilter %}",
    "chance": "{{ xs|random }}",
}
