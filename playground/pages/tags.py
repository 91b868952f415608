"""What the page's template asks for."""

from django import template

from playground.pages import modules

register = template.Library()


@register.simple_tag
def first_modules() -> list[str]:
    """See `playground.pages.modules`."""
    return modules.first()
