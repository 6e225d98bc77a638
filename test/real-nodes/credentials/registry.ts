import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'

interface Manifest {
  readonly mediaType: string
  readonly digest: string
  readonly annotations: Readonly<Record<string, string>>
}

/** A registry that wants a login, over plain HTTP: any repository has the image of the same last part and tag. Resolves when it listens. */
export function serveRegistry(layout: string, { port, user }: { readonly port: number; readonly user: string }): Promise<void> {
  const blobOf = (digest: string) => readFileSync(path.join(layout, 'blobs', 'sha256', digest.replace('sha256:', '')))
  const { manifests } = JSON.parse(readFileSync(path.join(layout, 'index.json'), 'utf8')) as { readonly manifests: readonly Manifest[] }
  const manifestOf = (repository: string, reference: string) =>
    manifests.find((m) =>
      reference.startsWith('sha256:')
        ? m.digest === reference
        : path.basename(m.annotations['io.containerd.image.name'] ?? '') === `${path.basename(repository)}:${reference}`,
    )
  const server = createServer((request, response) => {
    const given = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
    if (given !== user) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
    const [, repository = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(request.url ?? '') ?? []
    const found = kind === 'manifests' ? manifestOf(repository, reference) : undefined
    if (kind === undefined || (kind === 'manifests' && found === undefined)) return void response.writeHead(kind ? 404 : 200).end()
    const body = blobOf(found?.digest ?? reference)
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
    const type = found?.mediaType ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'docker-content-digest': digest, 'content-length': body.length })
    response.end(request.method === 'HEAD' ? undefined : body)
  })
  // It serves as long as something else goes on.
  server.unref()
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
}
