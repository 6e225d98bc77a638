import type { RecordedTrail } from '../../apiserver/trail/recorded-trail.ts'
import { ANONYMOUS } from '../../machinery/resource/user.ts'

const CREDENTIAL = 'authentication.kubernetes.io/credential-id'
const ACCOUNT = 'system:serviceaccount:'

/** How the sender was recognised, by what authentication left in its user. */
export function authenticationOf({ inProcess, sender }: Pick<RecordedTrail, 'inProcess' | 'sender'>): string {
  if (inProcess) return 'in process'
  if (sender === undefined) return 'refused'
  if (sender.name === ANONYMOUS.name) return 'anonymous'
  const credential = sender.extra?.[CREDENTIAL]?.[0] ?? ''
  if (credential.startsWith('X509SHA256=')) return 'client certificate'
  if (sender.name.startsWith(ACCOUNT)) return 'service account token'
  return credential.startsWith('JTI=') ? 'JSON web token' : 'token or proxy'
}
