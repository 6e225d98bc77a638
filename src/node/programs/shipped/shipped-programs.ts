import type { ImageProgram, ImagePrograms, Program } from '../program.ts'
import type { AnyProgram } from './shipped-process.ts'

/** Programs that every container has, by name: what `/bin/NAME` is. They are loaded when the first is run. */
const COMMAND_NAMES: readonly string[] = [
  // The shell, and what it is made of.
  ...'sh ash bash dash test [ true false echo printf env printenv sleep usleep timeout time nohup nice setsid xargs pause expr seq yes awk'.split(
    ' ',
  ),
  // Text.
  ...'sed cat head tail grep egrep fgrep wc sort uniq cut tr tee rev tac nl fold diff cmp base64 md5sum sha1sum sha256sum sha512sum od hexdump xxd strings more less'.split(
    ' ',
  ),
  // Files.
  ...'ls mkdir rmdir rm touch cp mv ln chmod chown chgrp readlink realpath stat find du dd fallocate truncate sync mktemp basename dirname which tar gzip gunzip zcat chroot install'.split(
    ' ',
  ),
  // The machine.
  ...'date hostname id whoami logname groups uname arch nproc ps top pgrep pidof pkill killall kill df mount free uptime ip sysctl ifconfig netstat ss tty stty clear reset watch'.split(
    ' ',
  ),
]

/** Those among them that use the network. */
const NETWORK_NAMES: ReadonlySet<string> = new Set('curl wget nc netcat telnet nslookup host dig getent ping'.split(' '))

export const SHIPPED_COMMANDS: ReadonlySet<string> = new Set([...COMMAND_NAMES, ...NETWORK_NAMES])

/** Runs the one of that name. */
export function shippedCommand(name: string): AnyProgram {
  if (!NETWORK_NAMES.has(name)) return async (container) => (await import('./shell-command.ts')).runShellCommand(name, container)
  return async (container) => {
    const { NETWORK_COMMANDS } = await import('./network-commands.ts')
    return NETWORK_COMMANDS[name]?.(container)
  }
}

/** Runs a file of the container by its path, with the interpreter of its first line. */
export const runFile: AnyProgram = async (container) => (await import('./shell-command.ts')).runFileCommand(container)

/** What the test images are made from. */
const ALPINE = 'NAME="Alpine Linux"\nID=alpine\nPRETTY_NAME="Alpine Linux"\n'

/**
 * Images that come with the cluster, by patterns as in `images`; those of the caller go first. Their programs load what they need when they
 * are run.
 */
export const SHIPPED_IMAGES: ImagePrograms = {
  'registry.k8s.io/e2e-test-images/agnhost': helperImage(),
  'registry.k8s.io/e2e-test-images/nonewprivs': async (container) => (await import('./images/small-servers.ts')).setUserProgram(container),
  'registry.k8s.io/e2e-test-images/nginx': webServer('nginx', '/usr/share/nginx/html'),
  'registry.k8s.io/e2e-test-images/httpd': webServer('httpd', '/usr/local/apache2/htdocs'),
  'registry.k8s.io/e2e-test-images/nautilus': helperImage({
    args: ['test-webserver'],
    files: { '/data.json': '{"image": "nautilus.jpg"}\n' },
  }),
  'registry.k8s.io/e2e-test-images/kitten': helperImage({ args: ['test-webserver'], files: { '/data.json': '{"image": "kitten.jpg"}\n' } }),
  // Hooks of other people's charts that make what the rest of their chart waits for.
  '**/kube-webhook-certgen': async (container) => (await import('./hooks/webhook-certificates.ts')).webhookCertificates(container),
  'quay.io/argoproj/argocd': {
    run: async (container) => (await import('./hooks/argocd.ts')).argocd(container),
    files: { '/usr/local/bin/argocd': '#!/usr/local/bin/argocd\n' },
  },
}

/** Kubernetes' test image, which its conformance suite runs, and those made from it. */
function helperImage({ args = ['pause'], files: more = {} }: Pick<ImageProgram, 'args' | 'files'> = {}): ImageProgram {
  const run: Program = async (container) => (await import('./images/test-helper.ts')).testHelper(container)
  // What lies there for its web servers to hand out.
  const files = { '/localhost.crt': 'a certificate of localhost\n', '/localhost.key': 'its key\n', '/etc/os-release': ALPINE, ...more }
  return { run, entrypoint: ['/agnhost'], args, commands: { '/agnhost': run, '/agnhost-2': run }, files }
}

function webServer(name: string, folder: string): ImageProgram {
  const page = `<html><head><title>Welcome to ${name}!</title></head><body><h1>Welcome to ${name}!</h1></body></html>\n`
  return {
    run: async (container) => (await import('./images/small-servers.ts')).fileServer(name, folder)(container),
    entrypoint: [name],
    files: { [`${folder}/index.html`]: page },
  }
}

const FOLDERS = new Set(['', '/bin', '/usr/bin', '/sbin', '/usr/sbin', '/usr/local/bin'])

/** The shipped command that a word means; undefined: none. */
export function shippedName(word: string): string | undefined {
  const slash = word.lastIndexOf('/')
  const name = word.slice(slash + 1)
  return FOLDERS.has(word.slice(0, Math.max(slash, 0))) && SHIPPED_COMMANDS.has(name) ? name : undefined
}
