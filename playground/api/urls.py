"""The addresses of the API, below /api/."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from playground.about import views as about
from playground.api.docs import Docs
from playground.branches import views as branches
from playground.classes import views as classes
from playground.clusters import command_views as commands
from playground.clusters import views as clusters
from playground.comparisons import views as comparisons
from playground.configs import past_views as past
from playground.configs import views as configs
from playground.exchange import views as exchange
from playground.explanations import device_views as devices
from playground.explanations import views as explain
from playground.history import views as history
from playground.lessons import views as lessons
from playground.objects import source_views as source
from playground.objects import views as objects
from playground.repairs import views as repairs
from playground.shares import views as shares
from playground.upgrades import views as upgrades

CLUSTER = "v1/clusters/<number:cluster_id>/"
CLASS = "v1/classes/<number:class_id>/"
CYCLE = f"{CLUSTER}cycles/<number:number>/"

urlpatterns = [
    path("v1/clusters/", clusters.ClusterList.as_view()),
    path(CLUSTER, clusters.ClusterDetail.as_view()),
    path(f"{CLUSTER}restore/", clusters.ClusterRestore.as_view()),
    path(f"{CLUSTER}commands/", commands.Commands.as_view()),
    path(f"{CLUSTER}commands/<number:number>/", commands.CommandDetail.as_view()),
    path(f"{CLUSTER}commands/<number:number>/effect/", commands.CommandEffect.as_view()),
    path(f"{CLUSTER}changes/", commands.ChangeList.as_view()),
    path(f"{CLUSTER}undo/", commands.Undo.as_view()),
    path(f"{CLUSTER}redo/", commands.Redo.as_view()),
    path(f"{CLUSTER}repairs/", repairs.Repairs.as_view()),
    path(f"{CLUSTER}repairs/costs/", repairs.RepairCosts.as_view()),
    path(f"{CLUSTER}reset/", commands.ResetPlan.as_view()),
    path(f"{CLUSTER}breakpoints/", commands.Breakpoints.as_view()),
    path(f"{CLUSTER}branches/", branches.BranchList.as_view()),
    path(f"{CLUSTER}branches/compare/", branches.BranchCompare.as_view()),
    path(f"{CLUSTER}pause/", commands.Pause.as_view()),
    path(f"{CLUSTER}pace/", commands.SetPace.as_view()),
    path(f"{CLUSTER}records/", history.RecordList.as_view()),
    path(f"{CLUSTER}cycles/", history.CycleList.as_view()),
    path(f"{CLUSTER}timings/", history.ClusterTimings.as_view()),
    path(f"{CLUSTER}cycles/<number:number>/", history.CycleDetail.as_view()),
    path(f"{CLUSTER}cycles/<number:number>/matrix/", history.CycleMatrix.as_view()),
    path(f"{CYCLE}reasons/", explain.ReasonTree.as_view()),
    path(f"{CYCLE}nodes/<name:name>/", explain.WhyNode.as_view()),
    path(f"{CYCLE}nodes/<name:name>/ledger/", explain.Ledger.as_view()),
    path(f"{CYCLE}compare/", explain.Compare.as_view()),
    path(f"{CYCLE}claims/", devices.Claims.as_view()),
    path(f"{CYCLE}nodes/<name:name>/claims/", devices.Allocation.as_view()),
    path(f"{CYCLE}spread/", explain.Spread.as_view()),
    path(f"{CYCLE}spread/<number:index>/pods/", explain.SpreadPods.as_view()),
    path(f"{CYCLE}preemption/", explain.Preemption.as_view()),
    path(f"{CYCLE}again/", source.CycleAgain.as_view()),
    path(f"{CYCLE}storyboard/", exchange.Storyboard.as_view()),
    path(f"{CYCLE}timings/", explain.Timings.as_view()),
    path(f"{CLUSTER}devices/", devices.DeviceList.as_view()),
    path(f"{CLUSTER}nodes/<name:name>/devices/", devices.NodeDevices.as_view()),
    path(f"{CLUSTER}nodes/", objects.NodeList.as_view()),
    path(f"{CLUSTER}node-changes/", objects.NodeChangeList.as_view()),
    path(f"{CLUSTER}nodes/<name:name>/", objects.NodeDetail.as_view()),
    path(f"{CLUSTER}queue/", objects.QueueDetail.as_view()),
    path(f"{CLUSTER}pods/", objects.PlacedPods.as_view()),
    path(f"{CLUSTER}pods/<name:namespace>/<name:name>/", objects.PodDetail.as_view()),
    path(f"{CLUSTER}pods/<name:namespace>/<name:name>/moves/", objects.PodMoves.as_view()),
    path(f"{CLUSTER}source/", source.SourcePage.as_view()),
    path(f"{CLUSTER}objects/", objects.ObjectList.as_view()),
    path(f"{CLUSTER}objects/check/", objects.UpdateCheck.as_view()),
    path(f"{CLUSTER}objects/<name:kind>/<key:key>/", objects.ObjectDetail.as_view()),
    path(f"{CLUSTER}config/", configs.ConfigDetail.as_view()),
    path(f"{CLUSTER}config/check/", configs.ConfigCheckView.as_view()),
    path(f"{CLUSTER}config/form/", configs.ConfigFormView.as_view()),
    path(f"{CLUSTER}config/try/", configs.ConfigTry.as_view()),
    path(f"{CLUSTER}config/versions/", configs.ConfigVersionList.as_view()),
    path(f"{CLUSTER}config/versions/<number:version>/", configs.ConfigVersionDetail.as_view()),
    path(f"{CLUSTER}upgrade/", upgrades.Upgrade.as_view()),
    path(f"{CLUSTER}gates/", configs.GateTable.as_view()),
    path(f"{CLUSTER}export/config/", exchange.ExportConfig.as_view()),
    path(f"{CLUSTER}export/cluster/", exchange.ExportCluster.as_view()),
    path(f"{CLUSTER}export/second-scheduler/", exchange.ExportSecondScheduler.as_view()),
    path(f"{CLUSTER}export/static-pod/", exchange.ExportStaticPod.as_view()),
    path(f"{CLUSTER}export/scenario/", exchange.ExportScenario.as_view()),
    path(f"{CLUSTER}export/trace/", exchange.ExportTrace.as_view()),
    path(f"{CLUSTER}import/", exchange.Import.as_view()),
    path(f"{CLUSTER}lesson/", lessons.LessonProgress.as_view()),
    path(f"{CLUSTER}lesson/restart/", lessons.LessonRestart.as_view()),
    path(f"{CLUSTER}lesson/checks/<name:check>/begin/", lessons.LessonBegin.as_view()),
    path(f"{CLUSTER}lesson/checks/<name:check>/predict/", lessons.LessonPredict.as_view()),
    path(f"{CLUSTER}lesson/checks/<name:check>/look/", lessons.LessonLook.as_view()),
    path("v1/lessons/", lessons.LessonList.as_view()),
    path("v1/lessons/<name:slug>/", lessons.LessonDetail.as_view()),
    path("v1/lessons/<name:slug>/start/", lessons.LessonStart.as_view()),
    path("v1/explain/decode/", explain.Decode.as_view()),
    path("v1/explain/glossary/", explain.Glossary.as_view()),
    path("v1/explain/plain/", explain.Plain.as_view()),
    path(f"{CLUSTER}comparisons/", comparisons.ComparisonList.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/", comparisons.ComparisonDetail.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/cancel/", comparisons.Cancel.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/open/", comparisons.Open.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/difference/", comparisons.Difference.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/export/", comparisons.Export.as_view()),
    path(f"{CLUSTER}shares/", shares.ClusterShares.as_view()),
    path("v1/shares/", shares.ShareList.as_view()),
    path("v1/shares/open/", shares.OpenShare.as_view()),
    path("v1/shares/try/", shares.TryShare.as_view()),
    path("v1/shares/<name:token>/", shares.ShareDetail.as_view()),
    path("v1/gallery/", shares.Gallery.as_view()),
    path("v1/classes/", classes.ClassList.as_view()),
    path(CLASS, classes.ClassDetail.as_view()),
    path(f"{CLASS}followers/<number:follower>/", classes.FollowerDetail.as_view()),
    path(f"{CLASS}leave/", classes.Leave.as_view()),
    path(f"{CLASS}questions/", classes.QuestionList.as_view()),
    path(f"{CLASS}questions/close/", classes.QuestionClose.as_view()),
    path(f"{CLASS}questions/<number:number>/answer/", classes.QuestionAnswer.as_view()),
    path(f"{CLASS}fork/", classes.Fork.as_view()),
    path("v1/past/translate/", past.Translate.as_view()),
    path("v1/past/glossary/", past.Words.as_view()),
    path("v1/examples/", about.ExampleList.as_view()),
    path("v1/kinds/", about.KindTable.as_view()),
    path("v1/conformance/", about.ConformanceTable.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", Docs.as_view(), name="docs"),
]
