import { TokenError } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import { LruMap } from '../../../base/collections/lru-map.ts'
import type { Logger } from '../../../base/logger.ts'
import type { Transport } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { dayOf, INVALID_SINCE, LAST_USED } from '../../../machinery/resource/legacy-token-labels.ts'

const DAY_MS = 86_400_000

/** Records in a secret that its token was used on this day; never waits, never fails. */
type NoteTokenUse = (secret: KubeObject, day: string) => void

/** Called when tokens in secrets are used. */
export interface SecretTokenUse {
  /** Called for a use of the secret's token. Throws if the token was invalidated. */
  shown(secret: KubeObject, account: string): void
}

/** Records the day of the last use, once a day; around midnight a later day of another server is kept. */
export function secretTokenUse({ clock, note }: { readonly clock: Clock; readonly note: NoteTokenUse }): SecretTokenUse {
  /** By the secret's UID: what was recorded, until the cache shows it. */
  const noted = new LruMap<string, string>(MAX_NOTED)
  const use = (secret: KubeObject) => {
    const { uid = '', labels } = secret.metadata
    const now = clock.now()
    const today = dayOf(now)
    const last = labels?.[LAST_USED]
    if (last === today || last === dayOf(now + DAY_MS)) {
      noted.delete(uid)
      return
    }
    if (noted.get(uid) === today) return
    noted.set(uid, today)
    note(secret, today)
  }
  return {
    shown(secret, account) {
      use(secret)
      const { namespace = '', name = '', labels } = secret.metadata
      if (labels?.[INVALID_SINCE])
        throw new TokenError(
          `the token in secret ${namespace}/${name} for service account ${namespace}/${account} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`,
        )
    },
  }
}

const MAX_NOTED = 4096

/** Writes as the server itself, in the background of the request. */
export function noteTokenUse(transport: () => Transport, log: Logger): NoteTokenUse {
  return ({ metadata: { namespace = '', name = '', uid = '' } }, day) => {
    const target = { group: '', version: 'v1', resource: 'secrets', namespace, name }
    const body = { metadata: { uid, labels: { [LAST_USED]: day } } }
    const written = transport().call({ verb: 'patch', target, query: {}, patchType: 'merge', body })
    written.catch((error) => log.warn('the use of a token of a Secret could not be recorded', { namespace, name, error }))
  }
}
