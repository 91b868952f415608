"""The addresses of the API, below /api/."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from playground.api.docs import Docs
from playground.api.views import about, clusters, commands, comparisons, configs, exchange, explain, history, objects

CLUSTER = "v1/clusters/<number:cluster_id>/"
CYCLE = f"{CLUSTER}cycles/<number:number>/"

urlpatterns = [
    path("v1/clusters/", clusters.ClusterList.as_view()),
    path(CLUSTER, clusters.ClusterDetail.as_view()),
    path(f"{CLUSTER}commands/", commands.Commands.as_view()),
    path(f"{CLUSTER}commands/<number:number>/", commands.CommandDetail.as_view()),
    path(f"{CLUSTER}pause/", commands.Pause.as_view()),
    path(f"{CLUSTER}pace/", commands.SetPace.as_view()),
    path(f"{CLUSTER}records/", history.RecordList.as_view()),
    path(f"{CLUSTER}cycles/", history.CycleList.as_view()),
    path(f"{CLUSTER}cycles/<number:number>/", history.CycleDetail.as_view()),
    path(f"{CLUSTER}cycles/<number:number>/matrix/", history.CycleMatrix.as_view()),
    path(f"{CYCLE}reasons/", explain.ReasonTree.as_view()),
    path(f"{CYCLE}nodes/<name:name>/", explain.WhyNode.as_view()),
    path(f"{CYCLE}nodes/<name:name>/ledger/", explain.Ledger.as_view()),
    path(f"{CYCLE}compare/", explain.Compare.as_view()),
    path(f"{CYCLE}spread/", explain.Spread.as_view()),
    path(f"{CYCLE}spread/<number:index>/pods/", explain.SpreadPods.as_view()),
    path(f"{CYCLE}preemption/", explain.Preemption.as_view()),
    path(f"{CYCLE}timings/", explain.Timings.as_view()),
    path(f"{CLUSTER}nodes/", objects.NodeList.as_view()),
    path(f"{CLUSTER}nodes/<name:name>/", objects.NodeDetail.as_view()),
    path(f"{CLUSTER}queue/", objects.QueueDetail.as_view()),
    path(f"{CLUSTER}pods/", objects.PlacedPods.as_view()),
    path(f"{CLUSTER}pods/<name:namespace>/<name:name>/", objects.PodDetail.as_view()),
    path(f"{CLUSTER}objects/", objects.ObjectList.as_view()),
    path(f"{CLUSTER}objects/<name:kind>/<key:key>/", objects.ObjectDetail.as_view()),
    path(f"{CLUSTER}config/", configs.ConfigDetail.as_view()),
    path(f"{CLUSTER}config/check/", configs.ConfigCheckView.as_view()),
    path(f"{CLUSTER}config/form/", configs.ConfigFormView.as_view()),
    path(f"{CLUSTER}config/versions/", configs.ConfigVersionList.as_view()),
    path(f"{CLUSTER}config/versions/<number:version>/", configs.ConfigVersionDetail.as_view()),
    path(f"{CLUSTER}export/config/", exchange.ExportConfig.as_view()),
    path(f"{CLUSTER}export/cluster/", exchange.ExportCluster.as_view()),
    path(f"{CLUSTER}import/", exchange.Import.as_view()),
    path("v1/explain/decode/", explain.Decode.as_view()),
    path("v1/explain/glossary/", explain.Glossary.as_view()),
    path(f"{CLUSTER}comparisons/", comparisons.ComparisonList.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/", comparisons.ComparisonDetail.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/cancel/", comparisons.Cancel.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/difference/", comparisons.Difference.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/export/", comparisons.Export.as_view()),
    path("v1/examples/", about.ExampleList.as_view()),
    path("v1/conformance/", about.ConformanceTable.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", Docs.as_view(), name="docs"),
]
