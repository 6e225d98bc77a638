import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Artefact, replaceInFile, run, stagedPackage } from './artefact.ts'

/** `dev.bowsprit:bowsprit-junit` as a Maven repository: jar, sources, javadoc, pom and their checksums. Signatures are the publisher's. */
export const mavenRepository: Artefact = (request) => {
  const { version, repository, folder } = request
  const staged = stagedPackage(request, 'junit')
  replaceInFile(path.join(staged, 'pom.xml'), /<version>[^<]+<\/version>/, `<version>${version}</version>`)
  replaceInFile(
    path.join(staged, 'pom.xml'),
    /<\/licenses>/,
    `</licenses>
  <url>${repository}</url>
  <scm><url>${repository}</url><connection>scm:git:${repository}.git</connection></scm>
  <developers><developer><name>Bowsprit</name><url>${repository}</url></developer></developers>`,
  )
  const to = `-DaltDeploymentRepository=release::default::${pathToFileURL(folder)}`
  run('mvn', ['-q', '-B', '-Prelease', 'deploy', to], staged)
}
