import { SECRETS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { ServiceAccount } from '../../resources/types/core.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { ACCOUNT_NAME, isTokenSecret } from './plan.ts'
import { forgetSecret, reconcileTokenSecret } from './reconcile.ts'

/**
 * Fills secrets of the type `kubernetes.io/service-account-token`. The tokens are requested from the API and bound to their secret, so that
 * no private key is needed here; Kubernetes' own controller signs tokens of the older form, which do not expire.
 */
export const createController = defineController({
  name: 'service-account-token',
  for: SECRETS,
  workers: 5,
  deps: ({ client, ca, informers, log }) => ({ client, ca, log, accounts: informers.of(SERVICE_ACCOUNTS) }),
  when: isTokenSecret,
  watch(deps, keys, secrets) {
    secrets.addHandler({
      deleted(secret) {
        if (isTokenSecret(secret))
          void forgetSecret(deps, secret).catch((error) =>
            deps.log.warn('a deleted secret could not be removed from its service account', { error }),
          )
      },
    })
    const accountChanged = ({ metadata: { namespace = '', name } }: ServiceAccount) => {
      for (const secret of secrets.list(namespace))
        if (isTokenSecret(secret) && secret.metadata.annotations?.[ACCOUNT_NAME] === name) keys.add(objectKey(secret))
    }
    deps.accounts.addHandler({ added: accountChanged, deleted: accountChanged })
  },
  reconcile: reconcileTokenSecret,
})
