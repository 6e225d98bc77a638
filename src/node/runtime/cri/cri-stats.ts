import type { ContainerStats, NetworkUse, PodFilter, SandboxStats } from '../runtime.ts'
import { ignoringCode } from '../runtime-error.ts'
import type { InterfaceMessage, SandboxStatsMessage } from './api/sandbox.ts'
import { RUNTIME_SERVICE as CRI } from './api/services.ts'
import type { ContainerView } from './container-view.ts'
import type { CriClient } from './cri-client.ts'
import { labelsOf, podOf } from './from-cri.ts'

/** What containers use. One that has only just started is not measured yet. */
export async function containerStats(
  call: CriClient,
  view: ContainerView,
  filter: PodFilter,
  signal: AbortSignal,
): Promise<readonly ContainerStats[]> {
  const request = { filter: { id: '', sandboxId: '', labels: labelsOf(filter) } }
  const { stats } = await call(CRI.listContainerStats, request, { signal })
  return stats.flatMap(({ attributes, cpu, memory, layer }): ContainerStats[] => {
    if (attributes === undefined || cpu === undefined) return []
    return [
      {
        containerId: view.idOf(attributes.id),
        name: attributes.metadata?.name ?? '',
        pod: podOf(attributes.labels),
        atMs: Math.floor(cpu.timestamp / 1e6),
        cpuNanoseconds: cpu.coreNanoseconds?.value ?? 0,
        memoryBytes: memory?.workingSet?.value ?? 0,
        ...(memory?.usage && {
          memory: {
            usageBytes: memory.usage.value,
            residentBytes: memory.resident?.value ?? 0,
            pageFaults: memory.pageFaults?.value ?? 0,
            majorPageFaults: memory.majorPageFaults?.value ?? 0,
          },
        }),
        ...(layer && { layer: { bytes: layer.used?.value ?? 0, inodes: layer.inodes?.value ?? 0 } }),
      },
    ]
  })
}

/** What sandboxes use. Older runtimes do not measure them. */
export async function sandboxStats(call: CriClient, signal: AbortSignal): Promise<readonly SandboxStats[]> {
  const answer = await call(CRI.listPodSandboxStats, { filter: undefined }, { signal }).catch(ignoringCode('unsupported'))
  return (answer?.stats ?? []).map(sandboxOf)
}

function sandboxOf({ attributes, linux }: SandboxStatsMessage): SandboxStats {
  const { network, process } = linux ?? {}
  const others = (network?.interfaces ?? []).filter(({ name }) => name !== network?.default?.name)
  return {
    podUid: attributes?.metadata?.uid ?? '',
    networks: [...(network?.default ? [network.default] : []), ...others].map(networkOf),
    processes: process?.count?.value ?? 0,
  }
}

const networkOf = ({ name, rxBytes, rxErrors, txBytes, txErrors }: InterfaceMessage): NetworkUse => ({
  name,
  rxBytes: rxBytes?.value ?? 0,
  rxErrors: rxErrors?.value ?? 0,
  txBytes: txBytes?.value ?? 0,
  txErrors: txErrors?.value ?? 0,
})
