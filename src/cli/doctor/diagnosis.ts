import { KUBERNETES_VERSION } from '../../base/version.ts'
import { type MachineFacts, PORTS } from './machine-facts.ts'

/** What was found, and how it is mended. */
export interface Check {
  /** `missing`: clusters cannot start. `limited`: something does not work. `optional`: only real nodes need it. */
  readonly state: 'ok' | 'missing' | 'limited' | 'optional'
  readonly what: string
  readonly found: string
  readonly mend?: string
}

/** kubectl works with servers of the minor version before its own, and after it. */
const SKEW = 1

/** What this machine has and lacks. Pure. */
export function diagnose(facts: MachineFacts): readonly Check[] {
  return [
    ok('system', facts.platform),
    ok('Node', facts.node),
    facts.homeWritable
      ? ok('clusters', facts.home)
      : {
          state: 'missing',
          what: 'clusters',
          found: `${facts.home} cannot be written`,
          mend: 'bowsprit up --data-dir FOLDER, or --ephemeral',
        },
    serverPort(facts),
    facts.takenPorts.has(PORTS.ingress)
      ? limited('Ingress', `port ${PORTS.ingress} is in use`, "the controller takes a free port: an Ingress's events name it")
      : ok('Ingress', `http://NAME.localhost:${PORTS.ingress}`),
    facts.loopbackRange
      ? ok('load balancers', 'addresses of 127.0.0.0/8')
      : limited(
          'load balancers',
          'this machine has 127.0.0.1 alone',
          'macOS: sudo ifconfig lo0 alias ADDRESS, for the address of the service',
        ),
    facts.localhostNames
      ? ok('names', 'NAME.localhost leads to this machine')
      : limited(
          'names',
          'only browsers and curl find NAME.localhost',
          'for other programs, a line in /etc/hosts: 127.0.0.1 NAME.localhost',
        ),
    kubectl(facts),
    facts.helm === undefined
      ? { state: 'optional', what: 'helm', found: 'not on the PATH', mend: 'in a checkout: npm run helm -- …; else https://helm.sh' }
      : ok('helm', facts.helm),
    realNodes(facts),
  ]
}

const ok = (what: string, found: string): Check => ({ state: 'ok', what, found })
const limited = (what: string, found: string, mend: string): Check => ({ state: 'limited', what, found, mend })

function serverPort({ takenPorts, running }: MachineFacts): Check {
  const why = takenPorts.get(PORTS.server)
  if (why === undefined) return ok('port', `${PORTS.server} is free`)
  const own = running.find(({ address }) => address.endsWith(`:${PORTS.server}`))
  if (own !== undefined) return ok('port', `${PORTS.server} is that of your cluster ${own.name}`)
  return limited('port', `${PORTS.server} cannot be opened (${why})`, 'bowsprit up --port 0, or --name NAME')
}

function kubectl({ kubectl: version }: MachineFacts): Check {
  const [, server = ''] = /^v\d+\.(\d+)/.exec(KUBERNETES_VERSION) ?? []
  if (version === undefined)
    return limited('kubectl', 'not on the PATH', 'in a checkout: npm run kubectl -- …; else https://kubernetes.io/docs/tasks/tools')
  const minor = Number(version.split('.')[1])
  if (Math.abs(minor - Number(server)) <= SKEW) return ok('kubectl', version)
  return limited(
    'kubectl',
    `${version}, for a server of ${KUBERNETES_VERSION}`,
    'most works; in a checkout npm run kubectl -- … has the right one',
  )
}

/** What `--runtime` and `bowsprit node` need. */
function realNodes({ platform, root, containerd, cgroup2, missingPrograms }: MachineFacts): Check {
  const missing = [
    ...(platform.startsWith('linux') ? [] : ['Linux']),
    ...(root ? [] : ['root']),
    ...(containerd ? [] : ['containerd (/run/containerd/containerd.sock)']),
    ...(cgroup2 ? [] : ['cgroup v2']),
    ...missingPrograms,
  ]
  if (missing.length === 0) return ok('real nodes', 'bowsprit up --runtime unix:///run/containerd/containerd.sock')
  const mend = 'simulated nodes need none of it; apt-get install containerd runc containernetworking-plugins nftables conntrack'
  return { state: 'optional', what: 'real nodes', found: `lack ${missing.join(', ')}`, mend }
}
