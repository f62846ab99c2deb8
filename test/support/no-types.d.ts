// Instead of the types of jsdom, which bring those of a browser's globals into every file.
export interface ConstructorOptions {}
