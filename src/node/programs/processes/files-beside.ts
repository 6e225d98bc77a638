import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { withoutLinks } from './host-entries.ts'
import type { Bind } from './root-plan.ts'

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * How a process without a mount namespace finds its volumes: `BOWSPRIT_ROOT` is a folder with links to them at the paths of the manifest,
 * and `KUBECONFIG` names a file that leads to the API server as the pod's service account.
 */
export async function filesBeside(
  binds: readonly Bind[],
  folder: string,
  server: { readonly host: string; readonly port: string },
): Promise<Readonly<Record<string, string>>> {
  const root = path.join(folder, 'root')
  await mkdir(root)
  for (const { source, path: at } of [...binds].sort((a, b) => a.path.length - b.path.length)) {
    await mkdir(path.dirname(root + at), { recursive: true })
    await symlink(source, root + at)
  }
  const account = binds.find((bind) => bind.path === withoutLinks(SERVICE_ACCOUNT))
  if (account === undefined) return { BOWSPRIT_ROOT: root }
  const file = path.join(folder, 'kubeconfig')
  const name = 'bowsprit'
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `https://${server.host}:${server.port}`, 'certificate-authority': `${account.source}/ca.crt` } }],
    users: [{ name, user: { tokenFile: `${account.source}/token` } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return { BOWSPRIT_ROOT: root, KUBECONFIG: file }
}
