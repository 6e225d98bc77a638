import { messageOf } from '../../base/message-of.ts'
import { Slots } from '../../base/slots.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { RESOURCE_CLAIMS } from '../../resources/refs.ts'
import type { DeviceAllocationConfiguration, ResourceClaim } from '../../resources/types/resource.ts'
import type { Client } from '../client/client.ts'
import { answer } from '../grpc/serve-unix.ts'
import { type ClaimReference, DRA_PLUGIN, type PreparedDevice } from '../node-api/dra-plugin.ts'
import type { ClaimedDevice, DraDriver, ReadyDevice } from './dra-driver.ts'

/** The devices of a claim that are a driver's, with what is meant for them. Pure. */
export function claimedDevices(claim: ResourceClaim, driver: string): readonly ClaimedDevice[] {
  const { results = [], config = [] } = claim.status?.allocation?.devices ?? {}
  return results
    .filter((r) => r.driver === driver)
    .map(({ request, pool, device, shareID, adminAccess = false, consumedCapacity = {} }) => ({
      request,
      pool,
      device,
      ...(shareID !== undefined && { shareId: shareID }),
      adminAccess,
      consumedCapacity,
      parameters: config.flatMap((c) => (c.opaque?.driver === driver && isFor(c, request) ? [c.opaque.parameters as JsonObject] : [])),
    }))
}

const baseOf = (request: string) => request.split('/')[0] ?? ''
const isFor = ({ requests = [] }: DeviceAllocationConfiguration, request: string) =>
  requests.length === 0 || requests.includes(request) || requests.includes(baseOf(request))

/** What the node calls, in both versions; claims are worked on one after the other. */
export function claimServices(driver: DraDriver, client: Client) {
  const oneAtATime = new Slots(() => 1)
  const prepare = async ({ namespace, name, uid }: ClaimReference) => {
    const claim = await client.get({ ...RESOURCE_CLAIMS, namespace, name })
    if (claim.metadata.uid !== uid)
      throw new Error(`the claim ${namespace}/${name} is another one by now: its uid is ${claim.metadata.uid}, not ${uid}`)
    const devices = claimedDevices(claim, driver.name)
    return ((await driver.prepare?.({ namespace, name, uid, devices, object: claim })) ?? devices.map((d) => ({ ...d, cdi: [] }))).map(
      prepared,
    )
  }
  const each = async <T extends object>(claims: readonly ClaimReference[], work: (claim: ClaimReference) => Promise<T>, failed: T) => {
    const answers: [string, T & { error: string }][] = []
    for (const claim of claims) {
      const done = await oneAtATime
        .run(() => work(claim))
        .then(
          (value) => ({ ...value, error: '' }),
          (error) => ({ ...failed, error: messageOf(error) || 'it failed without a word' }),
        )
      answers.push([claim.uid, done])
    }
    return { claims: new Map(answers) }
  }
  return Object.values(DRA_PLUGIN).flatMap((methods) => [
    answer(methods.prepare, ({ claims }) => each(claims, async (c) => ({ devices: await prepare(c) }), { devices: [] })),
    answer(methods.unprepare, ({ claims }) =>
      each(
        claims,
        async (c) => {
          await driver.unprepare?.(c)
          return {}
        },
        {},
      ),
    ),
  ])
}

const prepared = ({ request, pool, device, shareId = '', cdi }: ReadyDevice): PreparedDevice => ({
  requestNames: [baseOf(request)],
  poolName: pool,
  deviceName: device,
  cdiDeviceIds: cdi,
  shareId,
})
