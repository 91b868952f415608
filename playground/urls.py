"""The HTTP routes of the playground."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.i18n import set_language

from playground.classes import join_page
from playground.documentation import views as documentation
from playground.lessons import certificate
from playground.operations import operator_pages as operations
from playground.pages import page_translations, views
from playground.shares import share_pages as shares

urlpatterns = [
    path("", views.index, name="index"),
    path("clusters/<number:cluster_id>/", views.cluster, name="cluster"),
    path("docs/", documentation.page, name="documentation"),
    path("docs/search/", documentation.search, name="documentation-search"),
    path("docs/<path:path>", documentation.page, name="documentation-page"),
    path("certificate/", certificate.certificate, name="certificate"),
    path("s/", shares.share_page, name="share"),
    path("s/<name:name>/", shares.share_page, name="stored-share"),
    path("join/", join_page.join, name="join"),
    path("join/<name:code>/", join_page.join, name="join-with-code"),
    path("accounts/login/", views.Login.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("jsi18n/", page_translations.FirstWords.as_view(), name="javascript-catalog"),
    path("jsi18n/more/", page_translations.LaterWords.as_view(), name="javascript-catalog-more"),
    path("i18n/setlang/", set_language, name="set-language"),
    path("metrics", operations.metrics),
    path("configz", operations.configz),
    path("debug/cache/<number:cluster_id>", operations.cache_debugger),
    path("api/", include("playground.api.urls")),
    path("", include("playground.kubernetes.urls")),
]

handler400 = views.bad_request
handler403 = views.forbidden
handler404 = views.not_found
handler500 = views.server_error
