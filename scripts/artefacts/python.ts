import { cpSync } from 'node:fs'
import path from 'node:path'
import { type Artefact, replaceInFile, run, stagedPackage } from './artefact.ts'

/** The wheel and the source distribution of `bowsprit-pytest`, by PyPA's `build`. */
export const pythonDistributions: Artefact = (request) => {
  const staged = stagedPackage(request, 'pytest')
  cpSync(path.join(request.root, 'LICENSE'), path.join(staged, 'LICENSE'))
  const project = path.join(staged, 'pyproject.toml')
  replaceInFile(project, /^version = .*$/m, `version = "${request.version}"\nreadme = "README.md"`)
  replaceInFile(project, /^\[tool\.setuptools\]/m, `[project.urls]\nRepository = "${request.repository}"\n\n[tool.setuptools]`)
  const venv = path.join(request.work, 'venv')
  run('python3', ['-m', 'venv', venv], staged)
  const python = path.join(venv, 'bin', 'python')
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'build'], staged)
  run(python, ['-m', 'build', '--outdir', request.folder, staged], staged)
}
