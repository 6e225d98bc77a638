/** `bowsprit/sdk`: what authors of controllers and webhooks import. */

export { type Cancel, type Clock, microTimestamp, systemClock, timestamp, VirtualClock, type VirtualClockOptions } from '../base/clock.ts'
export { type Logger, silentLogger } from '../base/logger.ts'
export { type Random, seededRandom, systemRandom } from '../base/random.ts'
export type { ConnectCall, Connections, PageResponse } from '../machinery/api-call.ts'
export {
  apiVersionOf,
  cloneJson,
  type Draft,
  type GroupVersionKind,
  type GroupVersionResource,
  type Json,
  type JsonObject,
  type KubeList,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
} from '../machinery/object.ts'
export {
  isStatus,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from '../machinery/status-error.ts'
export type { ByteDuplex, ByteSink, ByteSource, ProcessStreams, RemotePorts, RemoteProcess, TerminalSize } from '../machinery/streams.ts'
export * as refs from '../resources/refs.ts'
export type {
  ApiCall,
  Client,
  DeleteOptions,
  ListOptions,
  PageOptions,
  PatchType,
  ReadOptions,
  ResourceRef,
  Target,
  TargetOf,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/client.ts'
export { type Connection, type ConnectOptions, connect } from './client/connect.ts'
export { createClient } from './client/create-client.ts'
export { createDiscovery, type Discovered, type DiscoveredResource, type Discovery } from './client/discovery.ts'
export { type HttpsConfig, type HttpsDeps, type HttpsTransport, httpsTransport } from './client/https.ts'
export {
  type KubeconfigContext,
  KubeconfigError,
  type KubeconfigErrorCode,
  type KubeconfigOptions,
  loadKubeconfig,
  loadKubeconfigFile,
} from './client/kubeconfig.ts'
export type { Patience } from './client/patience.ts'
export type { AttachOptions, LogOptions, PodConnections, PodTarget } from './client/pod-connections.ts'
export {
  bindPod,
  evictPod,
  getScale,
  patchStatus,
  requestToken,
  type ServiceAccountToken,
  setScale,
  type TokenOptions,
  updateStatus,
} from './client/subresources.ts'
export { type BackOff, type BackOffOptions, createBackOff } from './controller/back-off.ts'
export { createCoreRecorder } from './controller/core-recorder.ts'
export { createEventGate, type EventGate, type EventLane } from './controller/event-gate.ts'
export {
  type EventRecorder,
  type EventRecorderOptions,
  type EventType,
  type ObjectReference,
  type RecordedEvent,
  referenceTo,
} from './controller/event-recorder.ts'
export { type LeaderElectionOptions, runWithLeaderElection } from './controller/leader-election.ts'
export { type ControllerOptions, type ReconcileResult, runController } from './controller/run-controller.ts'
export { createSeriesRecorder } from './controller/series-recorder.ts'
export { type QueuedKeys, type QueueObserver, WorkQueue, type WorkQueueOptions } from './controller/work-queue.ts'
export { createInformer } from './informer/create-informer.ts'
export type { Indexers, Informer, InformerConfig, InformerDeps, InformerHandler, InformerOptions } from './informer/informer.ts'
export { createInformerFactory, type InformerFactory } from './informer/informer-factory.ts'
export { objectKey, splitKey } from './informer/object-key.ts'
export type { Indexer } from './informer/store-index.ts'
export * as kinds from './kinds/builtin-kinds.ts'
export { type Condition, type ConditionNow, nextConditions } from './kinds/condition.ts'
export {
  type ConversionWebhook,
  type CustomObject,
  defineKind,
  type KindConfig,
  type OtherVersion,
  type OwnKind,
  type PrinterColumn,
} from './kinds/define-kind.ts'
export { type Installable, type InstallOptions, installKinds } from './kinds/install-kinds.ts'
export { type Kind, type KindNames, kindOf, type ObjectOf, targetOf } from './kinds/kind.ts'
export { type AnySchema, type CelRule, type Presence, type ReadOf, Schema, type WrittenOf } from './kinds/schema.ts'
export {
  type Fields,
  type ListLimits,
  type NumberLimits,
  type ReadFields,
  type TextLimits,
  t,
  type WrittenFields,
} from './kinds/schema-builders.ts'
export { consoleLogger } from './operator/console-logger.ts'
export {
  type Controller,
  type ControllerConfig,
  controller,
  type Outcome,
  type Owned,
  type ReconcileContext,
  type Request,
  type StatusFields,
  TerminalError,
  type Watch,
  type WatchConfig,
  watch,
} from './operator/controller.ts'
export type { EndpointsConfig } from './operator/endpoints.ts'
export type { KindReader } from './operator/kind-cache.ts'
export { createManager, type Manager, type ManagerConfig, type ManagerLease } from './operator/manager.ts'
export {
  type Counter,
  createMetricsRegistry,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricConfig,
  type MetricsRegistry,
} from './operator/metrics.ts'
export { OperatorError } from './operator/operator-error.ts'
export { type OperatorDeployment, operatorManifests, rulesOf } from './operator/operator-manifests.ts'
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  objectsThat,
  type Predicate,
  resourceVersionChanged,
  withLabels,
} from './operator/predicates.ts'
export { type OperatorConfig, runOperator } from './operator/run-operator.ts'
export type { AdmissionCall, AdmissionVerdict, WebhookHandlers, WebhookPath } from './webhook/answer-review.ts'
export { webhookHandler } from './webhook/webhook-handler.ts'
export {
  createWebhookServer,
  type WebhookServer,
  type WebhookServerConfig,
  type WebhookTls,
  type WebhookTlsFiles,
} from './webhook/webhook-server.ts'
