"""The functions of CEL in Kubernetes v1.36, with the types that they take and return.

Source: cel-go common/stdlib/standard.go and ext, apiserver/pkg/cel/library, dynamic-resource-allocation/cel/compile.go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from kube_objects.cel.types import Type, named


@dataclass(frozen=True, slots=True)
class Overload:
    """A signature of a function. A method's first argument is its target."""

    id: str
    is_method: bool
    arguments: tuple[Type, ...]
    result: Type
    has_parameters: bool


@cache
def table() -> Mapping[str, tuple[Overload, ...]]:
    """Return the overloads of each function, in upstream's order."""
    overloads: dict[str, list[Overload]] = {}
    functions = _FUNCTIONS.replace("authz.", "kubernetes.authorization.").strip()
    for line in (*functions.splitlines(), *_templated()):
        head, _, result = line.partition(" -> ")
        name, id_, *rest = head.split(" ", 2)
        arguments = tuple(map(named, rest[0].split("; "))) if rest else ()
        signature = Overload(
            id_, name[0] == ".", arguments, named(result), _has_parameters((*arguments, named(result)))
        )
        overloads.setdefault(name.removeprefix("."), []).append(signature)
    return {name: tuple(overloads) for name, overloads in overloads.items()}


def _has_parameters(types: tuple[Type, ...]) -> bool:
    return any(each.kind == "param" or _has_parameters(each.parameters) for each in types)


def _templated() -> Iterator[str]:
    """Yield the functions that have one overload for each of several types."""
    for operator, name in (("<", "less"), ("<=", "less_equals"), (">", "greater"), (">=", "greater_equals")):
        yield from (f"_{operator}_ {name}_{suffix} {types} -> bool" for suffix, types in _COMPARED)
    for type_ in _COMPARABLE:
        yield f".isSorted list_{type_}_is_sorted_bool list({type_}) -> bool"
        yield f".max list_{type_}_max_{type_} list({type_}) -> {type_}"
        yield f".min list_{type_}_min_{type_} list({type_}) -> {type_}"
        yield f".sort list_{type_}_sort list({type_}) -> list({type_})"
        yield f".@sortByAssociatedKeys list_{type_}_sortByAssociatedKeys list(T); list({type_}) -> list(T)"
    for type_ in ("int", "uint", "double", "duration"):
        yield f".sum list_{type_}_sum_{type_} list({type_}) -> {type_}"
    for getter in _TIME_GETTERS:
        yield f".{getter} timestamp_{getter} timestamp -> int"
        yield f".{getter} timestamp_{getter}_with_tz timestamp; string -> int"
    for getter in ("getHours", "getMilliseconds", "getMinutes", "getSeconds"):
        yield f".{getter} duration_{getter} duration -> int"
    for name in _FORMATS:
        yield f"format.{name} format.{name} -> kubernetes.NamedFormat"


_COMPARED = (
    *((type_, f"{type_}; {type_}") for type_ in ("bool", "int", "uint", "double", "string", "bytes")),
    *((type_, f"{type_}; {type_}") for type_ in ("timestamp", "duration")),
    *(("int_double", "int; double"), ("int_uint", "int; uint"), ("uint_double", "uint; double")),
    *(("uint_int", "uint; int"), ("double_int", "double; int"), ("double_uint", "double; uint")),
)
_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_TIME_GETTERS = (
    *("getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getHours", "getMilliseconds"),
    *("getMinutes", "getMonth", "getSeconds"),
)
_FORMATS = (
    *("byte", "date", "datetime", "dns1035Label", "dns1035LabelPrefix", "dns1123Label", "dns1123LabelPrefix"),
    *("dns1123Subdomain", "dns1123SubdomainPrefix", "labelValue", "qualifiedName", "uri", "uuid"),
)
# A line: the function (a dot before a method), the id of the overload, the types of its arguments, and its result.
_FUNCTIONS = """
!_ logical_not bool -> bool
-_ negate_double double -> double
-_ negate_int64 int -> int
@in in_list A; list(A) -> bool
@in in_map A; map(A, B) -> bool
@not_strictly_false not_strictly_false bool -> bool
_!=_ not_equals A; A -> bool
_%_ modulo_int64 int; int -> int
_%_ modulo_uint64 uint; uint -> uint
_&&_ logical_and bool; bool -> bool
_*_ multiply_double double; double -> double
_*_ multiply_int64 int; int -> int
_*_ multiply_uint64 uint; uint -> uint
_+_ add_bytes bytes; bytes -> bytes
_+_ add_double double; double -> double
_+_ add_duration_duration duration; duration -> duration
_+_ add_duration_timestamp duration; timestamp -> timestamp
_+_ add_timestamp_duration timestamp; duration -> timestamp
_+_ add_int64 int; int -> int
_+_ add_list list(A); list(A) -> list(A)
_+_ add_string string; string -> string
_+_ add_uint64 uint; uint -> uint
_-_ subtract_double double; double -> double
_-_ subtract_duration_duration duration; duration -> duration
_-_ subtract_int64 int; int -> int
_-_ subtract_timestamp_duration timestamp; duration -> timestamp
_-_ subtract_timestamp_timestamp timestamp; timestamp -> duration
_-_ subtract_uint64 uint; uint -> uint
_/_ divide_double double; double -> double
_/_ divide_int64 int; int -> int
_/_ divide_uint64 uint; uint -> uint
_==_ equals A; A -> bool
_?._ select_optional_field dyn; string -> optional_type(V)
_?_:_ conditional bool; A; A -> A
_[?_] list_optindex_optional_int list(V); int -> optional_type(V)
_[?_] optional_list_optindex_optional_int optional_type(list(V)); int -> optional_type(V)
_[?_] map_optindex_optional_value map(K, V); K -> optional_type(V)
_[?_] optional_map_optindex_optional_value optional_type(map(K, V)); K -> optional_type(V)
_[_] index_list list(A); int -> A
_[_] index_map map(A, B); A -> B
_[_] optional_list_index_int optional_type(list(V)); int -> optional_type(V)
_[_] optional_map_index_value optional_type(map(K, V)); K -> optional_type(V)
_||_ logical_or bool; bool -> bool
.add quantity_add kubernetes.Quantity; kubernetes.Quantity -> kubernetes.Quantity
.add quantity_add_int kubernetes.Quantity; int -> kubernetes.Quantity
.allowed decision_allowed authz.Decision -> bool
.asApproximateFloat quantity_get_float kubernetes.Quantity -> double
.asInteger quantity_get_int kubernetes.Quantity -> int
bool bool_to_bool bool -> bool
bool string_to_bool string -> bool
bytes bytes_to_bytes bytes -> bytes
bytes string_to_bytes string -> bytes
cel.@mapInsert @mapInsert_map_key_value map(K, V); K; V -> map(K, V)
cel.@mapInsert @mapInsert_map_map map(K, V); map(K, V) -> map(K, V)
.charAt string_char_at_int string; int -> string
.check pathcheck_check authz.PathCheck; string -> authz.Decision
.check resourcecheck_check authz.ResourceCheck; string -> authz.Decision
cidr string_to_cidr string -> net.CIDR
.compareTo quantity_compare_to kubernetes.Quantity; kubernetes.Quantity -> int
.compareTo semver_compare_to kubernetes.Semver; kubernetes.Semver -> int
.contains contains_string string; string -> bool
.containsCIDR cidr_contains_cidr_string net.CIDR; string -> bool
.containsCIDR cidr_contains_cidr net.CIDR; net.CIDR -> bool
.containsIP cidr_contains_ip_string net.CIDR; string -> bool
.containsIP cidr_contains_ip_ip net.CIDR; net.IP -> bool
.distinct list_distinct list(T) -> list(T)
double double_to_double double -> double
double int64_to_double int -> double
double string_to_double string -> double
double uint64_to_double uint -> double
duration duration_to_duration duration -> duration
duration int64_to_duration int -> duration
duration string_to_duration string -> duration
dyn to_dyn A -> dyn
.endsWith ends_with_string string; string -> bool
.error decision_error authz.Decision -> string
.errored decision_errored authz.Decision -> bool
.family ip_family net.IP -> int
.fieldSelector authorizer_fieldselector authz.ResourceCheck; string -> authz.ResourceCheck
.find string_find_string string; string -> string
.findAll string_find_all_string string; string -> list(string)
.findAll string_find_all_string_int string; string; int -> list(string)
.first list_first list(V) -> optional_type(V)
.flatten list_flatten list(list(T)) -> list(T)
.flatten list_flatten_int list(dyn); int -> list(dyn)
.format string_format string; list(dyn) -> string
format.named format-named string -> optional_type(kubernetes.NamedFormat)
.getEscapedPath url_get_escaped_path kubernetes.URL -> string
.getHost url_get_host kubernetes.URL -> string
.getHostname url_get_hostname kubernetes.URL -> string
.getPort url_get_port kubernetes.URL -> string
.getQuery url_get_query kubernetes.URL -> map(string, list(string))
.getScheme url_get_scheme kubernetes.URL -> string
.group authorizer_group authz.Authorizer; string -> authz.GroupCheck
.hasValue optional_hasValue optional_type(V) -> bool
.includes dra_includes_dyn_dyn dyn; dyn -> bool
.indexOf list_a_index_of_int list(A); A -> int
.indexOf string_index_of_string string; string -> int
.indexOf string_index_of_string_int string; string; int -> int
int int64_to_int64 int -> int
int double_to_int64 double -> int
int duration_to_int64 duration -> int
int string_to_int64 string -> int
int timestamp_to_int64 timestamp -> int
int uint64_to_int64 uint -> int
ip string_to_ip string -> net.IP
.ip cidr_ip net.CIDR -> net.IP
ip.isCanonical ip_is_canonical string -> bool
isCIDR is_cidr string -> bool
.isGlobalUnicast ip_is_global_unicast net.IP -> bool
.isGreaterThan quantity_is_greater_than kubernetes.Quantity; kubernetes.Quantity -> bool
.isGreaterThan semver_is_greater_than kubernetes.Semver; kubernetes.Semver -> bool
isIP is_ip string -> bool
.isInteger quantity_is_integer kubernetes.Quantity -> bool
.isLessThan quantity_is_less_than kubernetes.Quantity; kubernetes.Quantity -> bool
.isLessThan semver_is_less_than kubernetes.Semver; kubernetes.Semver -> bool
.isLinkLocalMulticast ip_is_link_local_multicast net.IP -> bool
.isLinkLocalUnicast ip_is_link_local_unicast net.IP -> bool
.isLoopback ip_is_loopback net.IP -> bool
isQuantity is_quantity_string string -> bool
isSemver is_semver_string string -> bool
isSemver is_semver_string_bool string; bool -> bool
isURL is_url_string string -> bool
.isUnspecified ip_is_unspecified net.IP -> bool
.join list_join list(string) -> string
.join list_join_string list(string); string -> string
.labelSelector authorizer_labelselector authz.ResourceCheck; string -> authz.ResourceCheck
.last list_last list(V) -> optional_type(V)
.lastIndexOf list_a_last_index_of_int list(A); A -> int
.lastIndexOf string_last_index_of_string string; string -> int
.lastIndexOf string_last_index_of_string_int string; string; int -> int
jsonpatch.escapeKey string_jsonpatch_escapeKey_string string -> string
lists.range lists_range int -> list(int)
.lowerAscii string_lower_ascii string -> string
.major semver_major kubernetes.Semver -> int
.masked cidr_masked net.CIDR -> net.CIDR
matches matches string; string -> bool
.matches matches_string string; string -> bool
.minor semver_minor kubernetes.Semver -> int
.name resourcecheck_name authz.ResourceCheck; string -> authz.ResourceCheck
.namespace resourcecheck_namespace authz.ResourceCheck; string -> authz.ResourceCheck
optional.none optional_none -> optional_type(V)
optional.of optional_of V -> optional_type(V)
optional.ofNonZeroValue optional_ofNonZeroValue V -> optional_type(V)
optional.unwrap optional_unwrap list(optional_type(V)) -> list(V)
.or optional_or_optional optional_type(V); optional_type(V) -> optional_type(V)
.orValue optional_orValue_value optional_type(V); V -> V
.patch semver_patch kubernetes.Semver -> int
.path authorizer_path authz.Authorizer; string -> authz.PathCheck
.prefixLength cidr_prefix_length net.CIDR -> int
quantity string_to_quantity string -> kubernetes.Quantity
.reason decision_reason authz.Decision -> string
.replace string_replace_string_string string; string; string -> string
.replace string_replace_string_string_int string; string; string; int -> string
.resource groupcheck_resource authz.GroupCheck; string -> authz.ResourceCheck
.reverse list_reverse list(T) -> list(T)
semver string_to_semver string -> kubernetes.Semver
semver string_bool_to_semver string; bool -> kubernetes.Semver
.serviceAccount authorizer_serviceaccount authz.Authorizer; string; string -> authz.Authorizer
sets.contains list_sets_contains_list list(T); list(T) -> bool
sets.equivalent list_sets_equivalent_list list(T); list(T) -> bool
sets.intersects list_sets_intersects_list list(T); list(T) -> bool
sign quantity_sign kubernetes.Quantity -> int
size size_bytes bytes -> int
.size bytes_size bytes -> int
size size_list list(A) -> int
.size list_size list(A) -> int
size size_map map(A, B) -> int
.size map_size map(A, B) -> int
size size_string string -> int
.size string_size string -> int
.slice list_slice list(T); int; int -> list(T)
.split string_split_string string; string -> list(string)
.split string_split_string_int string; string; int -> list(string)
.startsWith starts_with_string string; string -> bool
string string_to_string string -> string
string bool_to_string bool -> string
string bytes_to_string bytes -> string
string double_to_string double -> string
string duration_to_string duration -> string
string int64_to_string int -> string
string timestamp_to_string timestamp -> string
string uint64_to_string uint -> string
string ip_to_string net.IP -> string
string cidr_to_string net.CIDR -> string
strings.quote strings_quote string -> string
.sub quantity_sub kubernetes.Quantity; kubernetes.Quantity -> kubernetes.Quantity
.sub quantity_sub_int kubernetes.Quantity; int -> kubernetes.Quantity
.subresource resourcecheck_subresource authz.ResourceCheck; string -> authz.ResourceCheck
.substring string_substring_int string; int -> string
.substring string_substring_int_int string; int; int -> string
timestamp timestamp_to_timestamp timestamp -> timestamp
timestamp int64_to_timestamp int -> timestamp
timestamp string_to_timestamp string -> timestamp
.trim string_trim string -> string
type type A -> type(A)
uint uint64_to_uint64 uint -> uint
uint double_to_uint64 double -> uint
uint int64_to_uint64 int -> uint
uint string_to_uint64 string -> uint
.unwrapOpt optional_unwrapOpt list(optional_type(V)) -> list(V)
.upperAscii string_upper_ascii string -> string
url string_to_url string -> kubernetes.URL
.validate format-validate kubernetes.NamedFormat; string -> optional_type(list(string))
.value optional_value optional_type(V) -> V
"""
