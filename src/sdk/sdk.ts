/** `bowsprit/sdk`: what authors of controllers import. */

export type { ByteDuplex, ByteSink, ByteSource, ProcessStreams, RemotePorts, RemoteProcess, TerminalSize } from '../machinery/streams.ts'
export type {
  ApiCall,
  Client,
  DeleteOptions,
  ListOptions,
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
export { type HttpsTransport, httpsTransport } from './client/https.ts'
export { loadKubeconfig, loadKubeconfigFile } from './client/kubeconfig.ts'
export { memoryTransport } from './client/memory-transport.ts'
export * as refs from './client/refs.ts'
export { createBackOff } from './controller/back-off.ts'
export { createCoreRecorder } from './controller/core-recorder.ts'
export { type EventRecorder, type RecordedEvent, referenceTo } from './controller/event-recorder.ts'
export { runWithLeaderElection } from './controller/leader-election.ts'
export { runController } from './controller/run-controller.ts'
export { createSeriesRecorder } from './controller/series-recorder.ts'
export { WorkQueue } from './controller/work-queue.ts'
export { createInformer, type Informer, type InformerHandler } from './informer/informer.ts'
export { objectKey, splitKey } from './informer/object-key.ts'
export type { AdmissionCall, AdmissionVerdict, WebhookHandlers } from './webhook/answer-review.ts'
export { createWebhookServer, type WebhookServer, type WebhookServerConfig } from './webhook/webhook-server.ts'
