// The documentation site. `npm run docs` puts this folder beside the pages that it makes.
import { readdirSync, readFileSync } from 'node:fs';

const source = new URL('..', import.meta.url);

const GUIDE = [
  ['Overview', '/'],
  ['Holds', '/holds'],
  ['Objects', '/objects'],
  ['Errors and events', '/errors-and-events'],
  ['Connecting', '/connecting'],
  ['Shutting down', '/shutdown'],
  ['Recipes', '/recipes'],
  ['Works with', '/works-with'],
  ['Guarantees', '/guarantees'],
  ['Coming from another library', '/migrating'],
  ['Sharing with Java', '/redisson-interop'],
  ['Performance', '/performance'],
  ['Figures', '/figures'],
  ['Beside other libraries', '/peers'],
  ['Servers, Node.js, drivers', '/matrix'],
  ['The demo', '/demo'],
  ['Changes', '/changelog'],
  ['Security', '/security'],
];

const titleOf = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

const pagesIn = (folder) =>
  readdirSync(new URL(folder, source))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.replace(/\.md$/, ''));

/** What the package exports, not each member of it: the names as they are in the headings of their pages. */
const api = pagesIn('api/')
  .filter((name) => /^redlatch\.[a-z]+$/.test(name))
  .map((name) => {
    const text = readFileSync(new URL(`api/${name}.md`, source), 'utf8');
    const [, heading = name] = /^## (\w+)/m.exec(text) ?? [];
    return [heading, `/api/${name}`];
  });

const links = (entries) => entries.map(([text, link]) => ({ text, link }));

export default {
  title: 'redlatch',
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
      ['API', '/api/redlatch'],
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
        items: links(api),
      },
    ],
  },
};
