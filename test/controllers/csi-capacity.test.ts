/** `bowsprit csi` says how much room its driver has for new volumes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { createCsiControllers } from '../../src/controllers/all/controller-set.ts'
import type { DriverClient } from '../../src/controllers/csi/driver-client.ts'
import { CSI_DRIVERS, CSI_NODES, CSI_STORAGE_CAPACITIES, NODES, STORAGE_CLASSES } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { CONTROLLER_CAPABILITY, type GetCapacityRequest } from '../../src/sdk/csi/controller-service.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const DRIVER = 'disks.example.com'
const ZONE = `topology.${DRIVER}/zone`
const BYTES: Readonly<Record<string, number>> = { a: 1000, b: 2000 }

const driver = (topology: boolean): DriverClient => ({
  name: DRIVER,
  can: new Set([CONTROLLER_CAPABILITY.getCapacity]),
  topology,
  identity: 'test',
  async call(_, request) {
    const { parameters, accessibleTopology } = request as GetCapacityRequest
    const bytes = BYTES[accessibleTopology?.segments.get(ZONE) ?? ''] ?? 500
    const availableCapacity = parameters.get('half') === 'yes' ? bytes / 2 : bytes
    return { availableCapacity, maximumVolumeSize: { value: 100 }, minimumVolumeSize: undefined } as never
  },
})

async function makeNode(client: Client, name: string, zone: string): Promise<void> {
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [ZONE]: zone } } })
  const spec = { drivers: [{ name: DRIVER, nodeID: name, topologyKeys: [ZONE] }] }
  await client.create(CSI_NODES, { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec })
}

const makeClass = (client: Client, name: string, provisioner: string, parameters: Readonly<Record<string, string>>) =>
  client.create(STORAGE_CLASSES, { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner, parameters })

const shown = async (client: Client) =>
  (await client.list(CSI_STORAGE_CAPACITIES)).items
    .map(
      (one) => `${one.storageClassName} ${one.nodeTopology?.matchLabels?.[ZONE] ?? 'everywhere'} ${one.capacity} ${one.maximumVolumeSize}`,
    )
    .toSorted()

async function showing(client: Client, wanted: readonly string[]): Promise<void> {
  await waitFor(async () => (await shown(client)).join() === wanted.join(), { timeoutMs: 20_000 }).catch(() => {})
  assert.deepEqual(await shown(client), wanted)
}

for (const topology of [true, false])
  test(`capacities ${topology ? 'by class and place' : 'of a driver without places'} come and go with classes and nodes`, async () => {
    await using cluster = await startCluster({ nodes: 0 })
    const client = cluster.client()
    for (const [name, zone] of [
      ['n1', 'a'],
      ['n2', 'b'],
      ['n3', 'b'],
    ] as const)
      await makeNode(client, name, zone)
    await makeClass(client, 'whole', DRIVER, {})
    await makeClass(client, 'half', DRIVER, { half: 'yes', 'csi.storage.k8s.io/fstype': 'ext4' })
    await makeClass(client, 'other', 'else.example.com', {})
    const stop = new AbortController()
    const deps = { client, clock: systemClock, random: systemRandom(), log: silentLogger }
    const csiDriver = { ...CSI_DRIVERS, name: DRIVER }
    await client.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: { storageCapacity: true },
    })
    const running = createCsiControllers(driver(topology), deps).run(stop.signal)
    const everywhere = ['half everywhere 250 100', 'whole everywhere 500 100']
    await showing(client, topology ? ['half a 500 100', 'half b 1k 100', 'whole a 1k 100', 'whole b 2k 100'] : everywhere)
    await client.delete({ ...STORAGE_CLASSES, name: 'half' })
    await client.delete({ ...CSI_NODES, name: 'n1' })
    await showing(client, topology ? ['whole b 2k 100'] : ['whole everywhere 500 100'])
    await client.patch(csiDriver, 'merge', { spec: { storageCapacity: false } })
    await showing(client, [])
    stop.abort()
    await running
  })
