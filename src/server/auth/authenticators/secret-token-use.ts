import { TokenError } from '../../../apiserver/identity/authenticator.ts'
import type { Clock } from '../../../base/clock.ts'
import { LruMap } from '../../../base/collections/lru-map.ts'
import type { Logger } from '../../../base/logger.ts'
import type { Transport } from '../../../machinery/api-call.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { dayOf, INVALID_SINCE, LAST_USED } from '../../../machinery/resource/legacy-token-labels.ts'

const DAY_MS = 86_400_000

/** Writes into a secret that its token was used on this day; never waits, never fails. */
type NoteTokenUse = (secret: KubeObject, day: string) => void

/** Who hears of the tokens in secrets that are used. */
export interface SecretTokenUse {
  /** The account's token that the secret holds was shown. Throws when it was found to be of no use to anybody before. */
  shown(secret: KubeObject, account: string): void
}

/** Notes the day, once a day; on the eve of a day that another server's clock has reached already it is that one's. */
export function secretTokenUse({ clock, note }: { readonly clock: Clock; readonly note: NoteTokenUse }): SecretTokenUse {
  /** By the uid of the secret: what was noted, until the copy says so. */
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

/** Writes in the server's own name, beside the request that showed the token. */
export function noteTokenUse(transport: () => Transport, log: Logger): NoteTokenUse {
  return ({ metadata: { namespace = '', name = '', uid = '' } }, day) => {
    const target = { group: '', version: 'v1', resource: 'secrets', namespace, name }
    const body = { metadata: { uid, labels: { [LAST_USED]: day } } }
    const written = transport().call({ verb: 'patch', target, query: {}, patchType: 'merge', body })
    written.catch((error) => log.warn('the use of a token that stands in a secret was not noted', { namespace, name, error }))
  }
}
