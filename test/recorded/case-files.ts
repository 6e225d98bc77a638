import { globSync } from 'node:fs'
import path from 'node:path'

/** Where the files of the second set lie: beside `cases`, in no folder of their own. */
const SECOND_SET = 'cases-2/'

/** The files of cases that the server alone can replay: `create/core_v1_pods.json`, `cases-2/urls.json`. */
export function caseFiles(recordings: string): readonly string[] {
  const first = globSync('{basics,create,custom,semantics,table,update}/*.json', { cwd: path.join(recordings, 'cases') })
  return [...first, ...globSync(`${SECOND_SET}*.json`, { cwd: recordings })].sort()
}

/** The path of such a file under a folder of recordings. */
export function casePath(recordings: string, file: string): string {
  return file.startsWith(SECOND_SET) ? path.join(recordings, file) : path.join(recordings, 'cases', file)
}
