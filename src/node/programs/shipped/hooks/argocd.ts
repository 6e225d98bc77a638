import { ignoring } from '../../../../machinery/ignoring.ts'
import { SECRETS } from '../../../../resources/refs.ts'
import type { Secret } from '../../../../resources/types/core.ts'
import { playUnknown } from '../../play-unknown.ts'
import type { Program } from '../../program.ts'

/** As the file of its chart names it; its other containers do not start without. */
const SECRET = 'argocd-redis'

/**
 * `argocd admin redis-initial-password`, a hook of argo-cd's chart, makes a password; other commands of the image are played as unknown
 * programs.
 */
export const argocd: Program = async (container) => {
  if (container.argv.slice(-2).join(' ') !== 'admin redis-initial-password') return playUnknown(container, { exitCode: 0 })
  const namespace = await container.files.readFile('/var/run/secrets/kubernetes.io/serviceaccount/namespace', 'utf8')
  const auth = Buffer.from(Array.from({ length: 16 }, () => container.random.int(256))).toString('base64url')
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET }, stringData: { auth } }
  await container.client.create({ ...SECRETS, namespace }, secret).catch(ignoring('AlreadyExists'))
  container.log(`secret ${SECRET} has a password`)
  return 0
}
