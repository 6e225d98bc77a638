import type { Clock } from '../../../../base/clock.ts'
import type { Logger } from '../../../../base/logger.ts'
import type { Node } from '../../../../resources/types/core.ts'
import { type ServedDevicePlugin, serveDevicePlugin } from '../../../../sdk/device-plugin/serve-device-plugin.ts'
import { describedDevices, describedGrant, type Fates, fatesOf } from './described-devices.ts'
import type { DescribedResource } from './description.ts'

export interface DescribedInit {
  readonly nodeName: string
  readonly folder: string
  readonly resources: readonly DescribedResource[]
  readonly clock: Clock
  readonly log: Logger
}

/** The described devices of one node: a device plugin for each resource, on a socket of its own. */
export interface DescribedDevices extends AsyncDisposable {
  /** Called with each version of the Node: its annotation has the manual changes. */
  observe(node: Node): void
}

/** Health scripts have timers of their own; this is only a fallback. */
const EVERY_MS = 3_600_000

export async function serveDescribed({ nodeName, folder, resources, clock, log }: DescribedInit): Promise<DescribedDevices> {
  const startedAtMs = clock.now()
  const own = resources.filter((r) => r.nodes === undefined || r.nodes.includes(nodeName))
  let fates: Fates = new Map()
  const plugins: ServedDevicePlugin[] = []
  const cancels: (() => void)[] = []
  for (const described of own) {
    const plugin = await serveDevicePlugin(
      {
        resource: described.resource,
        discover: () => describedDevices(described, fates, clock.now() - startedAtMs),
        allocate: (ids) => describedGrant(described, ids),
      },
      { folder, clock, log, everyMs: EVERY_MS },
    )
    plugins.push(plugin)
    for (const { afterMs } of described.health) cancels.push(clock.after(afterMs, () => void plugin.refresh()))
  }
  return {
    observe(node) {
      fates = fatesOf(node)
      for (const plugin of plugins) void plugin.refresh()
    },
    async [Symbol.asyncDispose]() {
      for (const cancel of cancels) cancel()
      await Promise.all(plugins.map((p) => p[Symbol.asyncDispose]()))
    },
  }
}
