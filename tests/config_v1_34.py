"""Configurations as v1.34.1 reads them: functions of `scheduler_core.config` with that release's rules by default."""

from functools import partial

from scheduler_core import config
from scheduler_core.config import defaults
from scheduler_core.config.build import build_profile as build_profile_by
from scheduler_core.config.editing import minimal, unknown_names
from scheduler_core.config.editing.table import table as table_of
from scheduler_core.config.load import decode as decode_by
from scheduler_core.releases import V1_34
from simulator.exchange import deploy

build = partial(config.build, rules=V1_34)
build_profile = partial(build_profile_by, rules=V1_34)
check = partial(config.check, rules=V1_34)
complete = partial(defaults.complete, rules=V1_34)
decode = partial(decode_by, rules=V1_34)
default_configuration = partial(config.default_configuration, rules=V1_34)
difference = partial(config.difference, rules=V1_34)
form = partial(config.form, rules=V1_34)
load = partial(config.load, rules=V1_34)
minimal_dict = partial(minimal.minimal_dict, rules=V1_34)
minimal_yaml = partial(minimal.minimal_yaml, rules=V1_34)
origins = partial(config.origins, rules=V1_34)
second_scheduler = partial(deploy.second_scheduler, rules=V1_34)
survey = partial(config.survey, rules=V1_34)
table = partial(table_of, rules=V1_34)
unknown_disabled = partial(unknown_names.unknown_disabled, rules=V1_34)
validate = partial(config.validate, rules=V1_34)
