/** rabbitmq #648: a restart on an old view, in which the first object is being deleted, deletes the StatefulSet of the second. */
import { STATEFUL_SETS } from '../../../../src/resources/refs.ts'
import type { StatefulSet } from '../../../../src/resources/types/apps.ts'
import { DATABASES, type Database, ensure, live, ownedBy, remove, setFinalizer, standIn } from '../stand-in.ts'

const members = (database: Readonly<Database>): StatefulSet => {
  const labels = { app: database.metadata.name ?? '' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'member', image: 'pause' }] } }
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: database.metadata.name ?? '', ownerReferences: ownedBy(database) },
    spec: { replicas: Number(database.spec?.size ?? 1), serviceName: 'd', selector: { matchLabels: labels }, template },
  }
}

export const staleFinalizer = (mended: boolean) =>
  standIn([STATEFUL_SETS], async ({ database, client }) => {
    const { namespace = '', name = '', uid } = database.metadata
    const own = { ...STATEFUL_SETS, namespace, name }
    if (database.metadata.deletionTimestamp !== undefined) {
      // The mistake: the object that is being deleted is known by its name alone.
      const there = mended ? await live(client, { ...DATABASES, namespace, name }) : database
      if (there?.metadata.uid !== uid) return
      await remove(client, own)
      return setFinalizer(client, database, false)
    }
    await setFinalizer(client, database, true)
    await ensure(client, own, members(database))
  })
