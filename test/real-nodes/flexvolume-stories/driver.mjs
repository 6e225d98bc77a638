// A FlexVolume driver for recordings. Beside it lies what it answers (`answers.json`), whom it is called by (`by`) and its log (`calls`).
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'

const folder = import.meta.dirname
const [command = '', ...args] = process.argv.slice(2)
const config = JSON.parse(readFileSync(path.join(folder, 'answers.json'), 'utf8'))
const own = config[command] ?? {}
const words = args.map((word) => (word.startsWith('{') ? JSON.parse(word) : word))

const mount = (at, options) => {
  const mode = options['kubernetes.io/readwrite'] === 'ro' ? 'ro' : 'rw'
  execFileSync('mount', ['-t', 'tmpfs', '-o', `${mode},mode=1777`, 'tmpfs', at])
}
const unmount = (at) => {
  try {
    execFileSync('umount', [at], { stdio: 'ignore' })
  } catch {
    // Nothing is mounted there.
  }
}
const DONE = { status: 'Success' }
const COMMANDS = {
  init: () => ({ ...DONE, capabilities: config.capabilities ?? { attach: false } }),
  attach: () => ({ ...DONE, device: '/dev/xflex' }),
  waitforattach: (device) => ({ ...DONE, device }),
  isattached: () => ({ ...DONE, attached: true }),
  detach: () => DONE,
  mountdevice(at, _, options) {
    mount(at, options)
    return DONE
  },
  mount(at, options) {
    mount(at, options)
    return DONE
  },
  unmount(at) {
    unmount(at)
    return DONE
  },
  unmountdevice(at) {
    unmount(at)
    return DONE
  },
}

if (own.sleep !== undefined) await new Promise((resolve) => setTimeout(resolve, own.sleep * 1000))
const work = () => COMMANDS[command]?.(...words) ?? { status: 'Not supported' }
const answer = own.answer ?? (own.lie ? DONE : work())
const text = own.text ?? JSON.stringify(answer)
const code = own.exit ?? (answer.status === 'Success' ? 0 : 1)
const by = readFileSync(path.join(folder, 'by'), 'utf8').trim()
appendFileSync(path.join(folder, 'calls'), `${JSON.stringify({ by, args: [command, ...words], answer: own.text ?? answer, code })}\n`)
console.log(text)
process.exitCode = code
