/** Entry point of topology management; loaded only if there is a kubelet configuration or a described machine. */

export { fileCheckpoint, memoryCheckpoint } from '../checkpoints/checkpoint-file.ts'
export { KubeletConfigurationError, readKubeletConfiguration } from '../configuration/kubelet-configuration.ts'
export { KubeletStartError } from '../configuration/kubelet-start-error.ts'
export { readHostMachine } from '../machine/host-machine.ts'
export { describeMachine, MachineError } from '../machine/machine.ts'
export { readMachine } from '../machine/machine-file.ts'
export { CPU_CHECKPOINT } from './cpus/cpu-checkpoint.ts'
export { deviceHints } from './devices/device-hints.ts'
export { MEMORY_CHECKPOINT } from './memory/memory-checkpoint.ts'
export { capacityOf } from './topology/node-capacity.ts'
export { openTopology } from './topology/open-topology.ts'
export { topologyReportOf } from './topology/topology-report-of.ts'
