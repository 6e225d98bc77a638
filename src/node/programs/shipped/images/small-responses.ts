import type { ContainerProcess, Program } from '../../program.ts'

interface SmallResponse {
  readonly port: number
  readonly text: (request: Request, container: ContainerProcess) => string
}

const flag = ({ args }: ContainerProcess, name: string) =>
  args.find((a) => a.replace(/^-+/, '').startsWith(`${name}=`))?.replace(/^[^=]*=/, '')

/** What small servers of tutorials answer. */
const ANSWERS: Readonly<Record<string, SmallResponse>> = {
  'http-echo': { port: 5678, text: (_, container) => `${flag(container, 'text') ?? container.environment.ECHO_TEXT ?? 'hello-world'}\n` },
  whoami: {
    port: 80,
    text: (request, { facts }) =>
      [
        `Hostname: ${facts.hostname}`,
        ...facts.ips.map((ip) => `IP: ${ip}`),
        `${request.method} ${new URL(request.url).pathname} HTTP/1.1`,
        ...[...request.headers].map(([n, v]) => `${n}: ${v}`),
        '',
      ].join('\n'),
  },
  'hello-app': {
    port: 8080,
    text: (_, { facts }) =>
      `Hello, world!\nVersion: ${facts.image.match(/:(\d[\w.]*)$/)?.[1]?.replace(/^(\d+)\.(\d+)$/, '$1.$2.0') ?? '1.0.0'}\nHostname: ${facts.hostname}\n`,
  },
  'node-hello': { port: 8080, text: () => 'Hello Kubernetes!' },
  bootcamp: {
    port: 8080,
    text: (_, { facts }) => `Hello Kubernetes bootcamp! | Running on: ${facts.hostname} | v=${facts.image.match(/:v(\d+)$/)?.[1] ?? '1'}\n`,
  },
  'hpa-example': { port: 80, text: () => 'OK!' },
  echoserver: {
    port: 8080,
    text: (request, { facts }) =>
      [
        `Hostname: ${facts.hostname}`,
        '',
        'Request Information:',
        `\tmethod=${request.method}`,
        `\treal path=${new URL(request.url).pathname}`,
        '',
        'Request Headers:',
        ...[...request.headers].map(([n, v]) => `\t${n}=${v}`),
        '',
      ].join('\n'),
  },
}

/** The server of that name. */
export function smallResponse(name: string): Program {
  return async (container) => {
    const answer = ANSWERS[name]
    if (answer === undefined) throw new Error(`invariant: ${name} has an answer`)
    const port =
      Number((flag(container, 'listen') ?? flag(container, 'port') ?? container.environment.PORT ?? '').split(':').at(-1)) || answer.port
    await container.listen(port, (request) => new Response(answer.text(request, container), { headers: { 'content-type': 'text/plain' } }))
  }
}
