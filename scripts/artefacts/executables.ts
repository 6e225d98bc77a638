import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import path from 'node:path'
import type { Artefact } from './artefact.ts'

/** Single executables: of this machine's processor, or of those that `BOWSPRIT_ARCHS` names (`x64 arm64`). */
export const executables: Artefact = ({ root, dist, folder }) => {
  const archs = (process.env.BOWSPRIT_ARCHS ?? process.arch).split(/[ ,]+/)
  const words = [path.join(root, 'scripts', 'sea.ts'), '--unmeasured', ...archs]
  execFileSync(process.execPath, words, { cwd: root, env: { ...process.env, BOWSPRIT_DIST: dist }, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const arch of archs) {
    const name = `bowsprit-linux-${arch}`
    cpSync(path.join(root, 'executables', name), path.join(folder, name))
  }
}
