import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Artefact, type ArtefactRequest, run, stagedPackage } from './artefact.ts'

/** Tarballs of `bowsprit` and `create-bowsprit-operator`, with the fields that `npm publish --provenance` wants. */
export const npmTarballs: Artefact = (request) => {
  const main = path.join(request.work, 'bowsprit')
  cpSync(request.dist, path.join(main, 'dist'), { recursive: true })
  for (const name of ['package.json', 'README.md']) cpSync(path.join(request.root, name), path.join(main, name))
  const create = stagedPackage(request, 'create-bowsprit-operator')
  pack(request, main, '.', {})
  pack(request, create, 'packages/create-bowsprit-operator', { dependencies: { bowsprit: request.version } })
}

/** `directory`: of the package inside the repository. */
function pack({ root, version, repository, folder }: ArtefactRequest, staged: string, directory: string, more: object): void {
  const file = path.join(staged, 'package.json')
  const { scripts: _, devDependencies: __, allowScripts: ___, ...own } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const published = {
    ...own,
    version,
    repository: { type: 'git', url: `git+${repository}.git`, ...(directory !== '.' && { directory }) },
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    publishConfig: { access: 'public', provenance: true },
    ...more,
  }
  writeFileSync(file, `${JSON.stringify(published, undefined, 2)}\n`)
  cpSync(path.join(root, 'LICENSE'), path.join(staged, 'LICENSE'))
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], staged)
}
