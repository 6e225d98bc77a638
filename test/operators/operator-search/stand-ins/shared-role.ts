/** An object without a namespace has the name of one that has a namespace: those of two namespaces share it, until one of them goes. */
import { CLUSTER_ROLES } from '../../../../src/resources/refs.ts'
import { DATABASES, ensure, FINALIZER, live, remove, setFinalizer, standIn } from '../stand-in.ts'

export const sharedRole = (mended: boolean) =>
  standIn([], async ({ database, client }) => {
    const { namespace = '', name = '', uid, finalizers = [], deletionTimestamp } = database.metadata
    // The mistake: the namespace is forgotten.
    const own = { ...CLUSTER_ROLES, name: mended ? `${namespace}-${name}` : name }
    if (deletionTimestamp === undefined) {
      await setFinalizer(client, database, true)
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: own.name }, rules: [] }
      return ensure(client, own, role)
    }
    const now = await live(client, { ...DATABASES, namespace, name })
    if (!finalizers.includes(FINALIZER) || now?.metadata.uid !== uid) return
    await remove(client, own)
    await setFinalizer(client, database, false)
  })
