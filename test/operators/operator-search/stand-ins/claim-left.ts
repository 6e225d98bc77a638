/** casskop #357: a member's claim is deleted in the run that has made the set smaller: a crash between them leaves the claim behind. */
import { PERSISTENT_VOLUME_CLAIMS, STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { StatefulSet } from '../../../../src/resources/types/apps.ts'
import { claim, DATABASES, type Database, ensure, live, members, remove, standIn } from '../stand-in.ts'

export const claimLeft = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '' } = database.metadata
    const own = { ...STATEFUL_SETS, namespace, name }
    const current = (await live(client, { ...DATABASES, namespace, name })) as Readonly<Database> | undefined
    if (current === undefined) return
    const size = Number(current.spec?.size ?? 1)
    const before = ((await live(client, own)) as Readonly<StatefulSet> | undefined)?.spec?.replicas ?? 0
    const target = (member: number) => ({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name: `member-${name}-${member}-of` })
    const resize = () => client.patch(own, 'apply', members(current), { fieldManager: 'databases', force: true })
    const clean = async () => {
      for (let member = size; member < before; member++) await remove(client, target(member))
    }
    for (let member = 0; member < size; member++) await ensure(client, target(member), claim(target(member).name))
    // The mistake: what has to be deleted is known only as long as the set is larger.
    const [first, second] = mended ? [clean, resize] : [resize, clean]
    await first()
    await second()
  })
