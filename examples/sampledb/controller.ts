import { controller, isStatus, kinds, type ReconcileContext } from 'bowsprit/sdk'
import { type Database, SampleDB } from './kind.ts'
import { type Observed, plan, planEnd } from './plan.ts'

function observe({ object, children }: ReconcileContext<Database>): Observed {
  const [server] = children(kinds.STATEFUL_SET)
  const [secret] = children(kinds.SECRET)
  return {
    db: object,
    jobs: children(kinds.JOB),
    server,
    password: secret?.data?.password,
    dataThere: server !== undefined || children(kinds.PERSISTENT_VOLUME_CLAIM).length > 0,
  }
}

const chance = ({ clock }: ReconcileContext<Database>) => ({
  nowMs: clock.now(),
  freshPassword: btoa(Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url')),
})

/** Looks, plans, and says what is wanted; the SDK does it. */
export const databases = controller({
  for: SampleDB,
  owns: [kinds.STATEFUL_SET, kinds.PERSISTENT_VOLUME_CLAIM, kinds.SERVICE, kinds.CONFIG_MAP, kinds.SECRET, kinds.JOB],
  reconcile(context) {
    const { outcome, upgradedTo } = plan(observe(context), chance(context))
    if (upgradedTo !== undefined) context.event('Normal', 'Upgraded', `the data is of release ${upgradedTo} now`)
    return outcome
  },
  async finalize(context) {
    const next = planEnd(observe(context), chance(context))
    if (next === 'done' && context.object.spec.onDelete === 'Snapshot') await remember(context)
    return next
  },
})

/** Where the last snapshot is: an object that outlives the database, and so is no child. */
async function remember({ object, client, clock }: ReconcileContext<Database>): Promise<void> {
  const { name = '', namespace = '' } = object.metadata
  const data = { database: name, version: object.status?.version ?? '', takenBefore: new Date(clock.now()).toISOString() }
  const metadata = { name: `${name}-last-snapshot`, namespace }
  try {
    await client.create({ ...kinds.CONFIG_MAP.ref, namespace }, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
  }
}
