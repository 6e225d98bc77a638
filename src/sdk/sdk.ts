/** `bowsprit/sdk`: what authors of controllers and webhooks import. */

export { type Cancel, type Clock, microTimestamp, systemClock, timestamp, VirtualClock, type VirtualClockOptions } from '../base/clock.ts'
export { type Logger, silentLogger } from '../base/logger.ts'
export { type Random, seededRandom, systemRandom } from '../base/random.ts'
export type { ConnectCall, Connections, PageAnswer } from '../machinery/api-call.ts'
export {
  apiVersionOf,
  cloneJson,
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
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/client.ts'
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
export * as refs from './client/refs.ts'
export {
  bindPod,
  evictPod,
  getScale,
  patchStatus,
  requestToken,
  type Scale,
  type ServiceAccountToken,
  setScale,
  updateStatus,
} from './client/subresources.ts'
export { type BackOff, type BackOffOptions, createBackOff } from './controller/back-off.ts'
export { createCoreRecorder } from './controller/core-recorder.ts'
export {
  createEventGate,
  type EventGate,
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
export { WorkQueue, type WorkQueueOptions } from './controller/work-queue.ts'
export type { Indexers } from './informer/indexed-store.ts'
export { createInformer, type Informer, type InformerHandler, type InformerOptions } from './informer/informer.ts'
export { objectKey, splitKey } from './informer/object-key.ts'
export type { AdmissionCall, AdmissionVerdict, WebhookHandlers, WebhookPath } from './webhook/answer-review.ts'
export {
  createWebhookServer,
  type WebhookServer,
  type WebhookServerConfig,
  type WebhookTls,
  type WebhookTlsFiles,
} from './webhook/webhook-server.ts'
