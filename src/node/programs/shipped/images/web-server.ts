import type { ContainerProcess, Program } from '../../program.ts'

interface Site {
  readonly port: number
  readonly root: string
  /** The response that `return CODE TEXT;` configures for every path. */
  readonly answer: { readonly status: number; readonly text: string } | undefined
}

/** What of nginx's configuration decides who answers, and with which files: the rest is passed over. */
export function readSites(text: string, usual: { readonly port: number; readonly root: string }): readonly Site[] {
  const plain = text.replace(/#[^\n]*/g, '')
  return plain
    .split(/\bserver\s*\{/)
    .slice(1)
    .map((server) => {
      const [, port] = server.match(/\blisten\s+(?:[^\s;:]*:)?(\d+)\b/) ?? []
      const [, root] = server.match(/\broot\s+["']?([^\s;"']+)["']?\s*;/) ?? []
      const [, status, quoted, bare] = server.match(/\breturn\s+(\d{3})(?:\s+(?:["']([^"']*)["']|([^\s;]+)))?\s*;/) ?? []
      const text = (quoted ?? bare ?? '').replaceAll('\\n', '\n')
      return {
        port: port === undefined ? usual.port : Number(port),
        root: root ?? usual.root,
        answer: status === undefined ? undefined : { status: Number(status), text },
      }
    })
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  txt: 'text/plain',
  json: 'application/json',
  css: 'text/css',
  js: 'application/javascript',
}

/** A web server with the files of its folder, and the ports and folders of a mounted configuration. */
export function webServer({ name, folder, port }: { readonly name: string; readonly folder: string; readonly port: number }): Program {
  return async (container) => {
    const [flag] = container.args
    if (flag === '-v' || flag === '-V') {
      await container.stderr.write(`${name} version: ${name}/simulated\n`)
      return 0
    }
    if (flag === '-t' || flag === '-T') {
      await container.stderr.write(
        `${name}: the configuration file /etc/${name}/${name}.conf syntax is ok\n${name}: configuration file /etc/${name}/${name}.conf test is successful\n`,
      )
      return 0
    }
    if (flag === '-s') return 0
    for (const site of await sitesOf(container, { port, root: folder })) await serve(container, name, site)
    return undefined
  }
}

async function sitesOf(container: ContainerProcess, usual: { readonly port: number; readonly root: string }): Promise<readonly Site[]> {
  const { files } = container
  const folder = '/etc/nginx/conf.d'
  const names = await files.readdir(folder).catch(() => [])
  const texts = [
    files.readFile('/etc/nginx/nginx.conf', 'utf8'),
    ...names.filter((n) => n.endsWith('.conf')).map((n) => files.readFile(`${folder}/${n}`, 'utf8')),
  ]
  const read = await Promise.all(texts.map((text) => text.catch(() => '')))
  const sites = readSites(read.join('\n'), usual)
  const byPort = new Map(sites.toReversed().map((site) => [site.port, site]))
  return byPort.size === 0 ? [{ ...usual, answer: undefined }] : [...byPort.values()]
}

async function serve(container: ContainerProcess, name: string, { port, root, answer }: Site): Promise<void> {
  await container.listen(port, async (request) => {
    const { pathname } = new URL(request.url)
    const { status, body, type } =
      answer === undefined
        ? await fileAt(container, root, pathname)
        : { status: answer.status, body: Buffer.from(answer.text), type: 'text/plain' }
    const at = new Date(container.clock.now()).toISOString()
    container.log(`- - - [${at}] "${request.method} ${pathname} HTTP/1.1" ${status} ${body.length}`)
    const page =
      status === 404
        ? Buffer.from(`<html>\n<head><title>404 Not Found</title></head>\n<body>\n<h1>404 Not Found</h1>\n</body>\n</html>\n`)
        : body
    return new Response(Uint8Array.from(page), { status, headers: { 'content-type': type, server: name } })
  })
}

async function fileAt(
  { files }: ContainerProcess,
  root: string,
  pathname: string,
): Promise<{ readonly status: number; readonly body: Buffer; readonly type: string }> {
  const wanted = `${root}${decodeURIComponent(pathname)}`
  const folder = await files.stat(wanted).then(
    ({ kind }) => kind === 'directory',
    () => false,
  )
  const path = folder ? `${wanted.replace(/\/$/, '')}/index.html` : wanted
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  try {
    return { status: 200, body: Buffer.from(await files.readFile(path)), type }
  } catch {
    return { status: 404, body: Buffer.alloc(0), type: 'text/html' }
  }
}
