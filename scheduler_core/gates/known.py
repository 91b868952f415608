"""The feature gates of kube-scheduler: name, stage, default, whether it is locked, and the gates that it needs.

One column per version in VERSIONS; `-`: the version lacks the gate; a missing last column equals the one before.
Source: pkg/features/kube_features.go at each version, and the gates of apiserver, client-go and component-base.
"""

VERSIONS = ("v1.34.1", "v1.36.3")

TABLE = """
APIResponseCompression | Beta on
APIServerIdentity | Beta on
APIServerTracing | GA on locked
APIServingWithRoutine | Alpha off
AggregatedDiscoveryRemoveBetaType | Deprecated on | Deprecated on locked
AllAlpha | Alpha off
AllBeta | Beta off
AllowDNSOnlyNodeCSR | Deprecated off
AllowInsecureKubeletCertificateSigningRequests | Deprecated off
AllowOverwriteTerminationGracePeriodSeconds | Deprecated off | Deprecated off locked
AllowParsingUserUIDFromCertAuth | Beta on
AllowServiceExternalIPs | - | GA on
AllowServiceLBStatusOnNonLB | Deprecated off locked | -
AllowUnsafeMalformedObjectDeletion | Alpha off
AnonymousAuthConfigurableEndpoints | GA on locked
AnyVolumeDataSource | GA on locked
AtomicFIFO | - | Beta on
AuthorizeNodeWithSelectors | GA on locked | GA on locked needs AuthorizeWithSelectors
AuthorizePodWebsocketUpgradeCreatePermission | - | Beta on
AuthorizeWithSelectors | GA on locked
BtreeWatchCache | GA on locked
CBORServingAndStorage | Alpha off
CPUManagerPolicyAlphaOptions | Alpha off
CPUManagerPolicyBetaOptions | Beta on
CPUManagerPolicyOptions | GA on locked
CRDObservedGenerationTracking | - | Beta on
CRDValidationRatcheting | GA on locked
CRIListStreaming | - | Alpha off
CSIMigrationPortworx | GA on locked | -
CSIServiceAccountTokenSecrets | - | GA on locked
CSIVolumeHealth | Alpha off
ChangeContainerStatusOnKubeletRestart | - | Deprecated off
ClearingNominatedNodeNameAfterBinding | Alpha off | Beta on
ClientsAllowCARotation | - | Beta on
ClientsAllowCBOR | Alpha off
ClientsAllowTLSCacheGC | - | Beta on
ClientsPreferCBOR | Alpha off
CloudControllerManagerWatchBasedRoutesReconciliation | - | Alpha off
CloudControllerManagerWebhook | Alpha off
ClusterTrustBundle | Beta off
ClusterTrustBundleProjection | Beta off | Beta off needs ClusterTrustBundle
ComponentFlagz | Alpha off | Beta on
ComponentSLIs | GA on locked | -
ComponentStatusz | Alpha off | Beta on
ConcurrentWatchObjectDecode | Beta off
ConsistentListFromCache | GA on locked
ConstrainedImpersonation | - | Beta on
ContainerCheckpoint | Beta on
ContainerRestartRules | Alpha off | Beta on
ContainerStopSignals | Alpha off
ContextualLogging | Beta on
CoordinatedLeaderElection | Beta off
CronJobsScheduledAnnotation | GA on locked | -
CrossNamespaceVolumeDataSource | Alpha off
CustomCPUCFSQuotaPeriod | Alpha off | GA on
CustomResourceFieldSelectors | GA on locked
DRAAdminAccess | Beta on | GA on locked needs DynamicResourceAllocation
DRAConsumableCapacity | Alpha off | Beta on needs DynamicResourceAllocation
DRADeviceBindingConditions | Alpha off | Beta on needs DynamicResourceAllocation,DRAResourceClaimDeviceStatus
DRADeviceTaintRules | - | Beta off needs DRADeviceTaints
DRADeviceTaints | Alpha off | Beta on needs DynamicResourceAllocation
DRAExtendedResource | Alpha off | Beta on needs DynamicResourceAllocation
DRAListTypeAttributes | - | Alpha off needs DynamicResourceAllocation
DRANodeAllocatableResources | - | Alpha off needs DynamicResourceAllocation
DRAPartitionableDevices | Alpha off | Beta on needs DynamicResourceAllocation
DRAPrioritizedList | Beta on | GA on needs DynamicResourceAllocation
DRAResourceClaimDeviceStatus | Beta on
DRAResourceClaimGranularStatusAuthorization | - | Beta on needs DynamicResourceAllocation,DRAResourceClaimDeviceStatus
DRAResourcePoolStatus | - | Alpha off needs DynamicResourceAllocation
DRASchedulerFilterTimeout | Beta on | Beta on needs DynamicResourceAllocation
DRAWorkloadResourceClaims | - | Alpha off needs DynamicResourceAllocation,GenericWorkload
DeclarativeValidation | Beta on | GA on locked
DeclarativeValidationBeta | - | Beta on needs DeclarativeValidation
DeclarativeValidationTakeover | Beta off | Deprecated off needs DeclarativeValidation
DeploymentReplicaSetTerminatingReplicas | Alpha off | Beta on
DetectCacheInconsistency | Beta on
DisableAllocatorDualWrite | GA on | GA on locked needs MultiCIDRServiceAllocator
DisableCPUQuotaWithExclusiveCPUs | Beta on | Deprecated on
DisableNodeKubeProxyVersion | Deprecated on | Deprecated on locked
DynamicResourceAllocation | GA on | GA on locked
EnvFiles | Alpha off | Beta on
EventedPLEG | Alpha off
ExecProbeTimeout | GA on | GA on locked
ExtendWebSocketsToKubelet | - | Beta on needs NodeDeclaredFeatures
ExternalServiceAccountTokenSigner | Beta on | GA on locked
GangScheduling | - | Alpha off needs GenericWorkload
GenericWorkload | - | Alpha off
GitRepoVolumeDriver | Deprecated off | Deprecated off locked
GracefulNodeShutdown | Beta on
GracefulNodeShutdownBasedOnPodPriority | Beta on | Beta on needs GracefulNodeShutdown
HPAConfigurableTolerance | Alpha off | Beta on
HPAScaleToZero | Alpha off
HonorPVReclaimPolicy | GA on locked | -
HostnameOverride | Alpha off | Beta on
ImageMaximumGCAge | Beta on | GA on locked
ImageVolume | Beta off | GA on locked
ImageVolumeWithDigest | - | Alpha off needs ImageVolume
InOrderInformers | Beta on | GA on locked
InOrderInformersBatchProcess | - | Beta on
InPlacePodLevelResourcesVerticalScaling | - | Beta on \
needs InPlacePodVerticalScaling,PodLevelResources,NodeDeclaredFeatures
InPlacePodVerticalScaling | Beta on | GA on locked
InPlacePodVerticalScalingAllocatedStatus | Deprecated off | -
InPlacePodVerticalScalingExclusiveCPUs | Alpha off | Alpha off needs InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveMemory | Alpha off | Alpha off needs InPlacePodVerticalScaling
InPlacePodVerticalScalingInitContainers | - | Beta on needs InPlacePodVerticalScaling,NodeDeclaredFeatures
InTreePluginPortworxUnregister | Alpha off | -
InformerResourceVersion | Alpha off | GA on
JobBackoffLimitPerIndex | GA on locked
JobManagedBy | Beta on | GA on locked
JobPodReplacementPolicy | GA on locked
JobSuccessPolicy | GA on locked
KMSv1 | Deprecated off
KubeletCgroupDriverFromCRI | GA on locked
KubeletCrashLoopBackOffMax | Alpha off | Beta on
KubeletEnsureSecretPulledImages | Alpha off | Beta on
KubeletFineGrainedAuthz | Beta on | GA on locked
KubeletInUserNamespace | Alpha off
KubeletPSI | Beta on | GA on locked
KubeletPodResourcesDynamicResources | Beta on | GA on locked
KubeletPodResourcesGet | Beta on | GA on locked
KubeletPodResourcesListUseActivePods | Deprecated on
KubeletRegistrationGetOnExistsOnly | Deprecated off
KubeletSeparateDiskGC | Beta on
KubeletServiceAccountTokenForCredentialProviders | Beta on
KubeletTracing | GA on locked
ListFromCacheSnapshot | Beta on
LoadBalancerIPMode | GA on locked | -
LocalStorageCapacityIsolationFSQuotaMonitoring | Beta off
LogarithmicScaleDown | GA on locked
LoggingAlphaOptions | Alpha off
LoggingBetaOptions | Beta on
ManifestBasedAdmissionControlConfig | - | Alpha off
MatchLabelKeysInPodAffinity | GA on locked
MatchLabelKeysInPodTopologySpread | Beta on
MatchLabelKeysInPodTopologySpreadSelectorMerge | Beta on | Beta on needs MatchLabelKeysInPodTopologySpread
MaxUnavailableStatefulSet | Alpha off | Beta off
MemoryManager | GA on locked | -
MemoryQoS | Alpha off
MultiCIDRServiceAllocator | GA on locked
MutableCSINodeAllocatableCount | Beta off | GA on locked
MutablePVNodeAffinity | - | Alpha off
MutablePodResourcesForSuspendedJobs | - | Beta on
MutableSchedulingDirectivesForSuspendedJobs | - | Beta on
MutatingAdmissionPolicy | Beta off | GA on
NFTablesProxyMode | GA on locked
NativeHistograms | - | Alpha off
NodeDeclaredFeatures | - | Beta on
NodeInclusionPolicyInPodTopologySpread | GA on locked
NodeLogQuery | Beta off | GA on locked
NodeSwap | GA on locked
NominatedNodeNameForExpectation | Alpha off | Beta on
OpenAPIEnums | Beta on
OpportunisticBatching | - | Beta on
OrderedNamespaceDeletion | GA on locked
PLEGOnDemandRelist | - | Beta on
PersistentVolumeClaimUnusedSinceTime | - | Alpha off
PodAndContainerStatsFromCRI | Alpha off
PodCertificateRequest | Alpha off | Beta off needs AuthorizeNodeWithSelectors
PodDeletionCost | Beta on
PodIndexLabel | GA on locked | -
PodLevelResourceManagers | - | Alpha off needs PodLevelResources
PodLevelResources | Beta on
PodLifecycleSleepAction | GA on locked
PodLifecycleSleepActionAllowZero | GA on locked | GA on locked needs PodLifecycleSleepAction
PodLogsQuerySplitStreams | Alpha off
PodObservedGenerationTracking | Beta on | GA on locked
PodReadyToStartContainersCondition | Beta on
PodSchedulingReadiness | GA on locked
PodTopologyLabelsAdmission | Alpha off | Beta on
PodsAPI | - | Alpha off
PortForwardWebsockets | Beta on
PreferSameTrafficDistribution | Beta on | GA on locked
PreventStaticPodAPIReferences | Beta on
ProbeHostPodSecurityStandards | GA on locked | -
ProcMountType | Beta on | GA on locked needs UserNamespacesSupport
QOSReserved | Alpha off
RecoverVolumeExpansionFailure | GA on locked
RecursiveReadOnlyMounts | GA on locked
ReduceDefaultCrashLoopBackOffDecay | Alpha off
RelaxedDNSSearchValidation | GA on locked
RelaxedEnvironmentVariableValidation | GA on locked
RelaxedServiceNameValidation | Alpha off | Beta on
ReloadKubeletClientCAFile | - | Beta on
ReloadKubeletServerCertificateFile | Beta on
RemoteRequestHeaderUID | Beta on
ResilientWatchCacheInitialization | GA on locked
ResourceHealthStatus | Alpha off | Beta on needs DynamicResourceAllocation
ResourceHealthStatusMessage | - | Beta on needs ResourceHealthStatus
RestartAllContainersOnContainerExits | - | Beta on needs ContainerRestartRules,NodeDeclaredFeatures
RetryGenerateName | GA on locked
RotateKubeletServerCertificate | Beta on
RuntimeClassInImageCriApi | Alpha off
SELinuxChangePolicy | Beta on | GA on locked
SELinuxMount | Beta off
SELinuxMountReadWriteOncePod | Beta on | GA on locked
SchedulerAsyncAPICalls | Beta on | Beta off
SchedulerAsyncPreemption | Beta on
SchedulerPopFromBackoffQ | Beta on
SchedulerQueueingHints | GA on locked
SeparateCacheWatchRPC | Deprecated off | Deprecated off locked
SeparateTaintEvictionController | GA on locked
ServiceAccountNodeAudienceRestriction | Beta on
ServiceAccountTokenJTI | GA on locked
ServiceAccountTokenNodeBinding | GA on locked | GA on locked needs ServiceAccountTokenNodeBindingValidation
ServiceAccountTokenNodeBindingValidation | GA on locked
ServiceAccountTokenPodNodeInfo | GA on locked
ServiceCIDRStatusFieldWiping | - | Deprecated on
ServiceTrafficDistribution | GA on locked | -
ShardedListAndWatch | - | Alpha off
SidecarContainers | GA on locked
SizeBasedListCostEstimate | Beta on
SizeMemoryBackedVolumes | GA on locked | -
StaleControllerConsistencyDaemonSet | - | Beta on needs AtomicFIFO
StaleControllerConsistencyJob | - | Beta on needs AtomicFIFO
StaleControllerConsistencyReplicaSet | - | Beta on needs AtomicFIFO
StaleControllerConsistencyStatefulSet | - | Beta on needs AtomicFIFO
StatefulSetAutoDeletePVC | GA on locked | -
StatefulSetSemanticRevisionComparison | - | Beta on
StorageCapacityScoring | Alpha off
StorageNamespaceIndex | Deprecated on
StorageVersionAPI | Alpha off | Alpha off needs APIServerIdentity
StorageVersionHash | Beta on
StorageVersionMigrator | Alpha off | Beta off
StreamingCollectionEncodingToJSON | GA on locked
StreamingCollectionEncodingToProtobuf | GA on locked
StrictCostEnforcementForVAP | GA on locked | -
StrictCostEnforcementForWebhooks | GA on locked | -
StrictIPCIDRValidation | Alpha off | Beta on
StructuredAuthenticationConfiguration | GA on locked
StructuredAuthenticationConfigurationEgressSelector | Beta on | Beta on needs StructuredAuthenticationConfiguration
StructuredAuthenticationConfigurationJWKSMetrics | - | Beta on needs StructuredAuthenticationConfiguration
StructuredAuthorizationConfiguration | GA on locked | -
SupplementalGroupsPolicy | Beta on | GA on locked
SystemdWatchdog | Beta on | GA on locked
TaintTolerationComparisonOperators | - | Alpha off
TokenRequestServiceAccountUIDValidation | Beta on
TopologyAwareHints | GA on locked | -
TopologyAwareWorkloadScheduling | - | Alpha off needs GenericWorkload
TopologyManagerPolicyAlphaOptions | Alpha off
TopologyManagerPolicyBetaOptions | Beta on
TopologyManagerPolicyOptions | GA on | GA on locked
TranslateStreamCloseWebsocketRequests | Beta on
UnauthenticatedHTTP2DOSMitigation | Beta on
UnknownVersionInteroperabilityProxy | Alpha off | Beta on needs APIServerIdentity
UnlockWhileProcessingFIFO | - | Beta on
UserNamespacesHostNetworkSupport | - | Alpha off needs UserNamespacesSupport,NodeDeclaredFeatures
UserNamespacesPodSecurityStandards | Alpha off | -
UserNamespacesSupport | Beta on | GA on locked
VolumeAttributesClass | GA on | GA on locked
VolumeLimitScaling | - | Alpha off
WatchCacheInitializationPostStartHook | Beta off | Beta on
WatchFromStorageWithoutResourceVersion | Deprecated off locked | -
WatchList | Beta on
WatchListClient | Beta off | Beta on
WinDSR | GA on locked
WinOverlay | GA on locked
WindowsCPUAndMemoryAffinity | Alpha off
WindowsGracefulNodeShutdown | Beta on | Beta on needs GracefulNodeShutdown
WindowsHostNetwork | Deprecated off
WorkloadAwarePreemption | - | Alpha off needs GangScheduling
WorkloadWithJob | - | Alpha off needs GenericWorkload
"""
