import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { undoAtExit } from '../undo-at-exit.ts'
import { OperatorProcess, type OperatorProgram } from './operator-process.ts'
import { kubeconfigIn, type ProgramSurroundings, programBehind } from './program-files.ts'

/** A program with a folder of its own. When it is disposed of, or this process ends, the program is killed and the folder removed. */
export interface OpenProgram extends AsyncDisposable {
  readonly operator: OperatorProcess
}

/** Writes the program's files into a new folder, and prepares its runs; it is not started. */
export function openProgram(program: OperatorProgram, { proxy, certs }: Omit<ProgramSurroundings, 'folder'>): OpenProgram {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'operator-trial-'))
  const operator = new OperatorProcess(programBehind(program, { folder, proxy, certs }), { kubeconfig: kubeconfigIn(folder), certs })
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  const undoing = undoAtExit(() => {
    operator.killAtOnce()
    removeFolder()
  })
  return {
    operator,
    async [Symbol.asyncDispose]() {
      await operator.kill()
      removeFolder()
      undoing[Symbol.dispose]()
    },
  }
}
