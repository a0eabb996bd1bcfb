        CREATE TABLE article (
            number INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            is_sample INTEGER NOT NULL,
            id TEXT,
            words BLOB NOT NULL
        );
        CREATE INDEX article_step ON article (step);
        CREATE INDEX sample_number ON article (number) WHERE is_sample;
