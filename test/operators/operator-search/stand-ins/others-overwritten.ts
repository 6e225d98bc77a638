/** After a conflict an old object is written with the newest revision: what somebody else has written meanwhile is lost. */
import { isStatus } from '../../../../src/machinery/status-error.ts'
import { DATABASES, live, standIn } from '../stand-in.ts'

export const othersOverwritten = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '', labels } = database.metadata
    if (labels?.managed === 'yes') return
    const own = { ...DATABASES, namespace, name }
    const managed = { ...database, metadata: { ...database.metadata, labels: { ...labels, managed: 'yes' } } }
    try {
      await client.update(own, managed)
    } catch (error) {
      if (mended || !isStatus(error, 'Conflict')) throw error
      // The mistake: what it writes is what it has read before the conflict.
      const resourceVersion = (await live(client, own))?.metadata.resourceVersion ?? ''
      await client.update(own, { ...managed, metadata: { ...managed.metadata, resourceVersion } })
    }
  })
