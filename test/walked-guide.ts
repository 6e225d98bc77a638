import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { kubectlPath } from '../scripts/clients.ts'
import { freePort } from './free-port.ts'
import { runProgram } from './run-program.ts'

const root = path.join(import.meta.dirname, '..')

const blocks = (text: string, info: RegExp) =>
  [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap((m) => {
    const found = info.exec(m[1] ?? '')
    return found === null ? [] : [{ name: found[1] ?? '', content: m[2] ?? '' }]
  })

/**
 * Walks a page of `docs/`: its files (`named`) are written into an empty folder, bash runs its commands (`walk`), and their output is
 * compared (`said`).
 */
export async function walkGuide(guide: string, t: TestContext): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `guide-${guide}-`))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [api, guest, proxy] = [await freePort(), await freePort(), await freePort()]
  const ported = (text: string) => text.replaceAll('6443', String(api)).replaceAll('9443', String(guest)).replaceAll('8001', String(proxy))
  const text = ported(readFileSync(path.join(root, 'docs', `${guide}.md`), 'utf8'))
  for (const { name, content } of blocks(text, /^\w+ named (\S+)$/)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), content)
  }
  const program = (name: string, words: string) => {
    writeFileSync(path.join(folder, name), `#!/bin/sh\nexec ${words} "$@"\n`)
    chmodSync(path.join(folder, name), 0o755)
  }
  program('bowsprit', `'${process.execPath}' --disable-warning=ExperimentalWarning '${path.join(root, 'src/cli/main.ts')}'`)
  program('kubectl', `'${kubectlPath('36')}'`)
  program('node', `'${process.execPath}'`)
  // Processes that the guide starts end with it in any case.
  const script = `trap 'kill $(jobs -p) 2>/dev/null' EXIT\n${blocks(text, /^(sh) walk$/)
    .map((b) => b.content)
    .join('\n')}`
  writeFileSync(path.join(folder, 'walk.sh'), script)
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, KUBECONFIG: '' }
  const { code, out, err } = await runProgram('bash', ['-e', 'walk.sh'], { cwd: folder, env, timeoutMs: 110_000 })
  assert.equal(code, 0, `${out}\n${err}`)
  const said = `${out}\n${err}`
  const wanted = blocks(text, /^(text) said$/).flatMap((b) => b.content.trim().split('\n'))
  assert.ok(wanted.length > 0)
  const plain = (line: string) => line.replace(/ +/g, ' ')
  for (const line of wanted)
    assert.ok(
      said.split('\n').some((l) => plain(l).includes(plain(line))),
      `${line}\n-- not in --\n${said}`,
    )
}
