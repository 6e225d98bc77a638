import { ignoring } from '../../machinery/ignoring.ts'
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { ServiceAccount } from '../../resources/types/core.ts'
import { defineController } from '../frame/define-controller.ts'

/** Creates the service account `default` in every namespace. */
export const createController = defineController({
  name: 'service-account',
  for: NAMESPACES,
  workers: 8,
  deps: ({ client, informers }) => ({ client, accounts: informers.of(SERVICE_ACCOUNTS) }),
  watch({ accounts }, keys) {
    accounts.addHandler({
      deleted: ({ metadata: { name, namespace = '' } }) => {
        if (name === 'default') keys.add(namespace)
      },
    })
  },
  async reconcile({ client, accounts }, { metadata: { name: namespace = '' }, status }) {
    if (status?.phase === 'Terminating' || accounts.get(`${namespace}/default`) !== undefined) return
    const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }
    await client.create({ ...SERVICE_ACCOUNTS, namespace }, account).catch(ignoring('AlreadyExists', 'NotFound', 'Forbidden'))
  },
})
