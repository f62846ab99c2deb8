// The documentation site. `npm run docs` puts this folder beside the pages that it makes.
import { readdirSync } from 'node:fs';

const source = new URL('..', import.meta.url);

const GUIDE = [
  ['Overview', '/'],
  ['Holds', '/holds'],
  ['Objects', '/objects'],
  ['Errors and events', '/errors-and-events'],
  ['Connecting', '/connecting'],
  ['Shutting down', '/shutdown'],
  ['Recipes', '/recipes'],
  ['Guarantees', '/guarantees'],
  ['Coming from another library', '/migrating'],
  ['Sharing with Java', '/redisson-interop'],
  ['Performance', '/performance'],
  ['Figures', '/figures'],
  ['Beside other libraries', '/peers'],
  ['The demo', '/demo'],
  ['Changes', '/changelog'],
  ['Security', '/security'],
];

const titleOf = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

const pagesIn = (folder) =>
  readdirSync(new URL(folder, source))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.replace(/\.md$/, ''));

/** The classes and interfaces, not each of their members. */
const api = pagesIn('api/').filter((name) => /^latchkey\.[a-z]+$/.test(name));

const links = (entries) => entries.map(([text, link]) => ({ text, link }));

export default {
  title: 'latchkey',
  description: 'Locks, semaphores and latches on Redis that tell the truth when something fails',
  lang: 'en',
  cleanUrls: false,
  lastUpdated: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: links([
      ['Guide', '/'],
      ['Examples', '/examples/'],
      ['API', '/api/'],
      ['Demo', '/demo'],
    ]),
    sidebar: [
      { text: 'Guide', items: links(GUIDE) },
      {
        text: 'Examples',
        collapsed: true,
        items: links(pagesIn('examples/').map((name) => [titleOf(name), `/examples/${name}`])),
      },
      {
        text: 'API',
        collapsed: true,
        items: links(api.map((name) => [name.replace('latchkey.', ''), `/api/${name}`])),
      },
    ],
  },
};
