/** `bowsprit/testing`: a cluster in a test, what to put into it, time that passes at once, and faults. */
export { type Cancel, type Clock, systemClock, VirtualClock, type VirtualClockOptions } from '../base/clock.ts'
export { type Logger, silentLogger } from '../base/logger.ts'
export { type Random, seededRandom, systemRandom } from '../base/random.ts'
export type { Cluster, ClusterCheckpoint, ClusterDeps, ClusterPageOptions } from '../cluster/cluster.ts'
export type { ClusterOptions, Part } from '../cluster/cluster-options.ts'
export { type ClusterConfig, ConfigError, PortError } from '../cluster/config.ts'
export type { ClusterNode, NodeDeviceControls } from '../cluster/nodes/cluster-node.ts'
export type { PartDeath } from '../cluster/supervisor.ts'
export type { UserInfo } from '../machinery/resource/user.ts'
export { ConnectError, type ConnectErrorCode } from '../node/network/connect-error.ts'
export type { ContainerFiles, FileStatus, WriteFileOptions } from '../node/programs/container-files.ts'
export { EndedError, ExitError, SignalError } from '../node/programs/exit-error.ts'
export type { ProcessImage } from '../node/programs/processes/process-image.ts'
export type {
  ChildProcess,
  ContainerFacts,
  ContainerProcess,
  DatagramConversation,
  FetchHandler,
  ImageProgram,
  ImagePrograms,
  ListenOptions,
  PortHandler,
  PortTls,
  Program,
  ProgramDatagram,
  ProgramFetchInit,
  ProgramOutput,
  ProgramPort,
  ProgramResult,
  SpawnOptions,
} from '../node/programs/program.ts'
export { type Behaviour, defaultScript, type ImageBehaviour, type Script } from '../node/runtime/simulated/behaviour.ts'
export type { Container } from '../node/types/pod.ts'
export { FileError, type FileErrorCode } from '../node/volumes/file-error.ts'
export { SnapshotError, type SnapshotErrorCode } from '../storage/snapshot/snapshot-error.ts'
export {
  type CustomResource,
  configMap,
  customResourceDefinition,
  deployment,
  type Extra,
  namespace,
  node,
  type PodOptions,
  pod,
  secret,
  service,
} from './builders.ts'
export {
  type PluginProgram,
  type TrialReport,
  type TrialStep,
  testDevicePlugin,
  trialText,
} from './device-plugin-trial/test-device-plugin.ts'
export { type Fault, type FaultyTransport, faultyTransport } from './faulty-transport.ts'
export type { ExecAnswer, HttpAnswer, ImageAnswers, TcpAnswer } from './operator-search/answers/pod-answers.ts'
export type { PodNetwork } from './operator-search/answers/pod-network.ts'
export type { ExploreReport } from './operator-search/explore/explore-fields.ts'
export type { PointCounts } from './operator-search/fault-coverage.ts'
export type { Finding } from './operator-search/finding.ts'
export type { Harm, Symptom } from './operator-search/oracle/symptom.ts'
export type { GuiltyMoment } from './operator-search/report/guilty-moment.ts'
export type { InProcessOperator, OperatorLife } from './operator-search/run/operator-life.ts'
export { type OperatorSearch, type ReplayedFinding, type SearchReport, searchOperator } from './operator-search/search-operator.ts'
export type { WorkStep } from './operator-search/work-step.ts'
export type { OperatorProgram } from './operator-trial/program/operator-process.ts'
export type { TrialCall } from './operator-trial/program/trial-call.ts'
export type { ObjectEvent } from './operator-trial/report/object-history.ts'
export type { Permission, Permissions } from './operator-trial/report/permissions.ts'
export { operatorTrialText } from './operator-trial/report/trial-text.ts'
export { type OperatorTrial, type OperatorTrialReport, type OperatorTrialStep, testOperator } from './operator-trial/test-operator.ts'
export type { TrialMark, TrialScene } from './operator-trial/trial-world.ts'
export { operatorTrialHtml } from './operator-trial-html.ts'
export { startCluster } from './start-cluster.ts'
export { type TestCertificate, testCertificate } from './test-certificate.ts'
export { type WaitForOptions, waitFor } from './wait-for.ts'
