"""Template tags of the page."""

import json

from django import template
from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from playground.pages import js_modules
from playground.web import versioned_files

register = template.Library()


@register.simple_tag
def first_modules() -> list[str]:
    """Return the modules to preload, see `playground.pages.js_modules`."""
    return js_modules.first()


@register.simple_tag
def import_map() -> SafeString:
    """Return an import map that gives imports without a version, such as the console's, the page's version."""
    folder = versioned_files.versioned_folder()
    # Versioned URLs map to themselves.
    mapping = {"imports": {settings.STATIC_URL: folder, folder: folder}}
    return mark_safe(json.dumps(mapping))  # noqa: S308 - nothing of it comes from outside
