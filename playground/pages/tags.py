"""What the page's template asks for."""

import json

from django import template
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from playground.pages import modules
from playground.web import versioned

register = template.Library()


@register.simple_tag
def first_modules() -> list[str]:
    """See `playground.pages.modules`."""
    return modules.first()


@register.simple_tag
def import_map() -> SafeString:
    """Who imports a file by its address without a version, as the console does, gets the one that the page has."""
    folder = versioned.folder()
    # What has a version keeps it.
    found = {"imports": {settings.STATIC_URL: folder, folder: folder}}
    return mark_safe(json.dumps(found))  # noqa: S308 - nothing of it comes from outside
